// SPDX-License-Identifier: Apache-2.0

// A runtime that writes down every registration call it gets, one line each, to the file that
// FAKE_CUDART_RECORD names. Lines are the same in every run: addresses are written as
// "object+offset", handles as the number of their fat binary. A program that has hooks (hooks.h) is
// called from inside it.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../programs/hooks.h"

namespace {

constexpr int kMaxFatBinaries = 1 << 16;
void* fat_binaries[kMaxFatBinaries];  // what a handle points to; the handle's number is its place
std::atomic<int> fat_binary_count{0};

struct Place {
  char text[512];
};

// Not dladdr: it takes the loader's lock, which the real runtime does not need for registering.
Place place(const void* address) {
  Place place{};
  dl_find_object object;
  if (address == nullptr) {
    std::strcpy(place.text, "0");
  } else if (_dl_find_object(const_cast<void*>(address), &object) != 0) {
    std::snprintf(place.text, sizeof place.text, "%#zx", reinterpret_cast<std::size_t>(address));
  } else {
    const char* file = object.dlfo_link_map->l_name;
    const char* slash = std::strrchr(file, '/');
    std::snprintf(place.text, sizeof place.text, "%s+%#zx",
                  slash != nullptr ? slash + 1 : "program",
                  reinterpret_cast<std::size_t>(address) -
                      static_cast<std::size_t>(object.dlfo_link_map->l_addr));
  }
  return place;
}

__attribute__((format(printf, 1, 2))) void record(const char* format, ...) {
  const char* file = std::getenv("FAKE_CUDART_RECORD");
  if (file == nullptr) return;
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const int descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) std::abort();
  if (write(descriptor, line, static_cast<std::size_t>(length)) != length) std::abort();
  close(descriptor);
}

long number(void** handle) { return handle - fat_binaries; }

__attribute__((constructor)) void constructor() {
  if (in_constructor != nullptr) in_constructor();
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* fat_binary) {
  const int i = fat_binary_count.fetch_add(1);
  if (i >= kMaxFatBinaries) std::abort();
  fat_binaries[i] = fat_binary;
  record("#%d FatBinary %s\n", i, place(fat_binary).text);
  if (in_fat_binary != nullptr) in_fat_binary();
  return &fat_binaries[i];
}

void __cudaRegisterFatBinaryEnd(void** handle) { record("#%ld FatBinaryEnd\n", number(handle)); }

void __cudaUnregisterFatBinary(void** handle) { record("#%ld Unregister\n", number(handle)); }

void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, void* tid, void* bid, void* block, void* grid,
                            int* warp_size) {
  record("#%ld Function %s '%s' '%s' limit %d tid %s bid %s block %s grid %s warp %s\n",
         number(handle), place(host).text, device, name, thread_limit, place(tid).text,
         place(bid).text, place(block).text, place(grid).text, place(warp_size).text);
}

void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external,
                       std::size_t size, int constant, int global) {
  record("#%ld Var %s '%s' '%s' external %d size %zu constant %d global %d\n", number(handle),
         place(host).text, device, name, external, size, constant, global);
}

void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name,
                              int external, std::size_t size, int constant, int global) {
  record("#%ld ManagedVar %s '%s' '%s' external %d size %zu constant %d global %d\n",
         number(handle), place(host).text, device, name, external, size, constant, global);
}

void __cudaRegisterHostVar(void** handle, const char* name, char* host, std::size_t size) {
  record("#%ld HostVar '%s' %s size %zu\n", number(handle), name, place(host).text, size);
}

void __cudaRegisterTexture(void** handle, const void* host, const void** device, const char* name,
                           int dimensions, int normalized, int external) {
  record("#%ld Texture %s %s '%s' dimensions %d normalized %d external %d\n", number(handle),
         place(host).text, place(device).text, name, dimensions, normalized, external);
}

void __cudaRegisterSurface(void** handle, const void* host, const void** device, const char* name,
                           int dimensions, int external) {
  record("#%ld Surface %s %s '%s' dimensions %d external %d\n", number(handle), place(host).text,
         place(device).text, name, dimensions, external);
}

void __cudaRegisterUnifiedTable(void** handle, void* a, void* b, void* c, void* d) {
  record("#%ld UnifiedTable %s %s %s %s\n", number(handle), place(a).text, place(b).text,
         place(c).text, place(d).text);
}

char __cudaInitModule(void** handle) {
  record("#%ld InitModule\n", number(handle));
  return 7;
}

int cudaGetDeviceCount(int* count) {
  record("GetDeviceCount\n");
  if (in_call != nullptr) in_call();
  *count = 3;
  return 0;
}

// Static constructors of texture references call it.
struct ChannelDesc {
  int x, y, z, w, kind;
};
ChannelDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

int cudaRuntimeGetVersion(int* version) { return *version = 12090, 0; }

}  // extern "C"
