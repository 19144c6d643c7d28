// SPDX-License-Identifier: Apache-2.0

// Registers one of everything, with arguments that nvcc never gives: an omission or mix-up in a
// stub shows.
#include "../programs/runtime.h"

namespace {

int fat_binary, host_function, host_variable, host_texture, host_surface;
int ids[5];
char device_variable[] = "device_variable";
const void* device_texture = "device_texture";
void* managed = nullptr;
void** handle = nullptr;

char* text(const char* text) { return const_cast<char*>(text); }

__attribute__((constructor)) void register_all() {
  const char* host = reinterpret_cast<const char*>(&host_function);
  char* variable = reinterpret_cast<char*>(&host_variable);
  handle = __cudaRegisterFatBinary(&fat_binary);
  __cudaRegisterFunction(handle, host, text("plain"), "plain", -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  __cudaRegisterFunction(handle, host + 1, text("device_name"), "another_name", 256, &ids[0],
                         &ids[1], &ids[2], &ids[3], &ids[4]);
  __cudaRegisterFunction(handle, host + 2, text("zero_limit"), "zero_limit", 0, nullptr, &ids[1],
                         nullptr, &ids[3], nullptr);
  __cudaRegisterVar(handle, variable, device_variable, device_variable, 0, 4, 0, 0);
  __cudaRegisterVar(handle, variable + 1, device_variable, "other", -7, std::size_t{1} << 40, 1, 2);
  __cudaRegisterManagedVar(handle, &managed, device_variable, "managed", 1, 8, 0, 1);
  __cudaRegisterHostVar(handle, "host_variable", variable, 12);
  __cudaRegisterTexture(handle, &host_texture, &device_texture, "texture", 2, 1, 0);
  __cudaRegisterSurface(handle, &host_surface, &device_texture, "surface", 3, 1);
  __cudaRegisterUnifiedTable(handle, &ids[0], nullptr, &ids[2], &ids[3]);
  __cudaRegisterFatBinaryEnd(handle);
}

__attribute__((destructor)) void unregister_all() { __cudaUnregisterFatBinary(handle); }

}  // namespace

extern "C" int init_module() { return __cudaInitModule(handle); }
