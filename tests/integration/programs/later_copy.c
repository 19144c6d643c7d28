// SPDX-License-Identifier: Apache-2.0

/* A copy of a later version of the runtime's stub, written from docs/copies.md: its table is larger
   than any that exists, and it has chosen the library in LATER_CHOICE. It prints what it is asked.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HIDDEN __attribute__((visibility("hidden"), used))

struct choice {
  uint32_t size;
  int32_t major, minor, reserved;
  void* handle;
  const char* path;
};

static __thread int32_t error;

HIDDEN int later_chosen(struct choice* out) {
  const char* path = getenv("LATER_CHOICE");
  if (path == NULL) return 0;
  out->major = 12;
  out->minor = 9;
  out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  out->path = path;
  return out->handle != NULL;
}
HIDDEN int later_offer(struct choice* choice) {
  printf("offered CUDA %d\n", choice->major);
  return 1;
}
HIDDEN int later_join(const uint32_t* table) {
  printf("joined by protocol %u, %s\n", table[1], table[0] >= 8 + 4 * 9 ? "whole" : "too small");
  return 1;
}
HIDDEN void later_take_slots(void) {}
HIDDEN int32_t later_get_error(void) {
  const int32_t last = error;
  error = 0;
  return last;
}
HIDDEN int32_t later_peek_error(void) { return error; }
HIDDEN void later_set_error(int32_t status) { error = status; }
HIDDEN void later_restore_error(int32_t status) { error = status; }
HIDDEN int later_any_error(void) { return 1; }
HIDDEN void** later_register(unsigned kind, void** handle, const uint64_t* arguments) {
  (void)arguments;
  printf("registered kind %u\n", kind);
  return handle;
}
HIDDEN int later_replay(void) {
  printf("replayed\n");
  return 1;
}

__asm__(
    ".section .rodata\n"
    ".p2align 3\n"
    ".globl anycudaCopy1_cudart\n"
    ".type anycudaCopy1_cudart, %object\n"
    "anycudaCopy1_cudart:\n"
    ".long 256, 1\n"
    ".long later_chosen - .\n"
    ".long later_offer - .\n"
    ".long later_join - .\n"
    ".long later_take_slots - .\n"
    ".long later_get_error - .\n"
    ".long later_peek_error - .\n"
    ".long later_set_error - .\n"
    ".long later_restore_error - .\n"
    ".long later_any_error - .\n"
    ".long later_register - .\n"
    ".long later_replay - .\n"
    ".zero 204\n"
    ".size anycudaCopy1_cudart, 256\n"
    ".text\n");
