// SPDX-License-Identifier: Apache-2.0

// What the static constructors that nvcc adds to every object do, for many objects at once:
// register a fat binary, its kernels, its variables, and say that this was all; unregister at exit.
// FAT_BINARIES, FUNCTIONS and VARIABLES (totals, spread evenly) and NAME_SIZE come from the
// build; the names come from a generated file, one every NAME_SIZE bytes, so that finding one needs
// no relocation, just as in code that nvcc wrote.
#include <cstdint>

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, unsigned long, int, int);

extern char registered_names[] __attribute__((visibility("hidden")));
}

namespace {

struct FatBinary {  // an empty container: a header that says no code follows
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_size;
  std::uint64_t content_size;
};

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
  void* unused;
};

Wrapper wrappers[FAT_BINARIES];
void** handles[FAT_BINARIES];
char host_functions[FUNCTIONS];
char host_variables[VARIABLES * 8];
FatBinary contents[FAT_BINARIES];

char* name(int index) { return registered_names + static_cast<long>(index) * NAME_SIZE; }

// The share of `total` that belongs to object `index`, without remainder over all objects.
int first(int total, int index) {
  return static_cast<int>(static_cast<long>(total) * index / FAT_BINARIES);
}

void register_object(int index) {
  contents[index] = {0xBA55ED50u, 1, sizeof(FatBinary), 0};
  wrappers[index] = {0x466243B1u, 1, &contents[index], nullptr};
  void** handle = handles[index] = __cudaRegisterFatBinary(&wrappers[index]);
  for (int i = first(FUNCTIONS, index); i < first(FUNCTIONS, index + 1); ++i) {
    __cudaRegisterFunction(handle, host_functions + i, name(i), name(i), -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  }
  for (int i = first(VARIABLES, index); i < first(VARIABLES, index + 1); ++i) {
    __cudaRegisterVar(handle, host_variables + i * 8L, name(FUNCTIONS + i), name(FUNCTIONS + i), 0,
                      8, 0, 0);
  }
  __cudaRegisterFatBinaryEnd(handle);
}

__attribute__((constructor)) void register_all() {
  for (int i = 0; i < FAT_BINARIES; ++i) register_object(i);
}

__attribute__((destructor)) void unregister_all() {
  for (int i = 0; i < FAT_BINARIES; ++i) __cudaUnregisterFatBinary(handles[i]);
}

}  // namespace
