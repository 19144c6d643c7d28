// SPDX-License-Identifier: Apache-2.0

/* A runtime that says what is registered with it, one line each; the other core functions are
   written by CMake. */
#include <stdio.h>

static int count;
static void* handles[16];

void** __cudaRegisterFatBinary(void* fat_binary) {
  const int magic = *(const int*)fat_binary; /* the program must still be there */
  printf("fat binary %d%s\n", count, magic == 0x466243b1 ? "" : " with another magic number");
  return &handles[count++];
}

static int number(void** handle) { return (int)(handle - handles); }

void __cudaRegisterFatBinaryEnd(void** handle) { printf("end %d\n", number(handle)); }
void __cudaUnregisterFatBinary(void** handle) { printf("unregister %d\n", number(handle)); }

void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit) {
  (void)host, (void)device;
  printf("function %s of %d, limit %d\n", name, number(handle), thread_limit);
}

void __cudaRegisterVar(void** handle, char* host, char* address, const char* name, int external,
                       unsigned long size, int constant, int global) {
  (void)host, (void)address;
  printf("variable %s of %d, %d %lu %d %d\n", name, number(handle), external, size, constant,
         global);
}
