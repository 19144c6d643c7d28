// SPDX-License-Identifier: Apache-2.0

// A plugin that calls CUDA. It is linked with the shared stub, with the static stub or with a
// drop-in, for CUDA 11, 12 and 13; with PLUGIN_REGISTERS it registers a kernel and a variable when
// it is loaded, as an object does that nvcc has compiled. plugins.cc loads it.
#include <stddef.h>

#include "plugin.h"

int cudaRuntimeGetVersion(int*);
int cudaGetDeviceCount(int*);
int cudaGetExportTable(const void**, const void*);
int cudaPeekAtLastError(void);
int cudaGetLastError(void);
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);

// As nvcc writes it, without code for any GPU.
static const struct {
  unsigned magic;
  unsigned short version, header_size;
  unsigned long long size;
} code = {0xba55ed50, 1, 16, 0};

struct FatBinary {
  int magic, version;
  const void* data;
  void* unused;
};

// The program identifies a kernel and a variable by addresses: `host` is those of the caller.
static void** begin(struct FatBinary* fat_binary, char* host) {
  static char kernel[] = "kernel", variable[] = "variable";
  fat_binary->magic = 0x466243b1;
  fat_binary->version = 1;
  fat_binary->data = &code;
  fat_binary->unused = NULL;
  void** handle = __cudaRegisterFatBinary(fat_binary);
  __cudaRegisterFunction(handle, host, kernel, kernel, -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(handle, host + 8, variable, variable, 0, 8, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  return handle;
}

#ifdef PLUGIN_REGISTERS
static struct FatBinary own;
static void** own_handle;
static char own_host[16];
__attribute__((constructor)) static void register_own(void) { own_handle = begin(&own, own_host); }
__attribute__((destructor)) static void unregister_own(void) {
  __cudaUnregisterFatBinary(own_handle);
}
#endif

// Errors are the library's or the stub's: each is shown until it is read.
static void read_errors(int* answers) {
  answers[0] = cudaPeekAtLastError();
  answers[1] = cudaGetLastError();
  answers[2] = cudaPeekAtLastError();
}

__attribute__((visibility("default"))) void plugin_ask(enum Request request, void* memory,
                                                       int answers[kAnswers]) {
  static const char no_table[16];
  const void* table = NULL;
  for (int i = 0; i < kAnswers; ++i) answers[i] = 0;
  if (request == kCount || request == kRefused) cudaGetLastError();
  switch (request) {
    case kVersion:
      answers[0] = cudaRuntimeGetVersion(&answers[1]);
      break;
    case kCount:
      answers[0] = cudaGetDeviceCount(&answers[1]);
      read_errors(answers + 2);
      break;
    case kRefused:  // by the stub, on a CUDA of another major
      answers[0] = cudaGetExportTable(&table, no_table);
      answers[1] = table != NULL;
      read_errors(answers + 2);
      break;
    case kRegister:
      __cudaUnregisterFatBinary(begin(memory, (char*)memory + sizeof(struct FatBinary)));
      break;
  }
}
