// SPDX-License-Identifier: Apache-2.0

// A plugin that is linked with the static stub (`int NAME(buffer, 8, 0, 0)`, as copies.cc calls).
#include <stddef.h>

int cudaRuntimeGetVersion(int*);
int cudaGetLastError(void);
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);

int plugin_version(int* version) { return cudaRuntimeGetVersion(version); }
int plugin_last_error(void* unused) {
  (void)unused;
  return cudaGetLastError();
}

static struct {
  int magic, version;
  const void* data;
  void* more;
} fat_binary = {0x466243b1, 1, NULL, NULL};
static void** registered;

// As an object does that nvcc has compiled, in its constructor, and in its destructor.
int plugin_keeps(void* unused) {
  (void)unused;
  registered = __cudaRegisterFatBinary(&fat_binary);
  __cudaRegisterFatBinaryEnd(registered);
  return 0;
}
static void unregister(void) {
  if (registered != NULL) __cudaUnregisterFatBinary(registered);
  registered = NULL;
}
__attribute__((destructor)) static void leave(void) { unregister(); }
int plugin_registers(void* unused) {
  plugin_keeps(unused);
  unregister();
  return 0;
}
