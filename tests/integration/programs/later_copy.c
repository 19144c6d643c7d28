// SPDX-License-Identifier: Apache-2.0

/* A copy of a later version of the runtime's stub, written from docs/copies.md: its table is larger
   than any that exists, and it serves every call. It prints what it is asked. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden"), used))

struct record {
  _Atomic(struct record*) next;
  uint32_t size, kind;
};
struct copy_record {
  struct record head;
  const void* table;
};
extern struct {
  _Atomic(struct record*) first;
  uint64_t reserved[7];
} anycudaProcess2;
extern const char anycudaCopy2[];

static __thread int32_t error;

static int served(void) { return 7; }
HIDDEN void* later_serve(const char* name, const char* symbol_version, int* is_final) {
  printf("serves %s of %s\n", name, symbol_version != NULL ? symbol_version : "no version");
  *is_final = 1;
  return served;
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
  static void* fat_binary;
  (void)arguments;
  printf("registered kind %u of %s\n", kind,
         handle == NULL          ? "nothing"
         : handle == &fat_binary ? "this copy"
                                 : "another copy");
  return &fat_binary;
}
HIDDEN int later_replay(void) {
  printf("replayed\n");
  return 1;
}

static struct copy_record own;
__attribute__((constructor)) static void join(void) {
  own.head.size = sizeof own;
  own.head.kind = 1;
  own.table = anycudaCopy2;
  _Atomic(struct record*)* place = &anycudaProcess2.first;
  for (;;) {
    struct record* there = NULL;
    if (atomic_compare_exchange_strong(place, &there, &own.head)) return;
    place = &there->next;
  }
}

__asm__(
    ".bss\n"
    ".p2align 6\n"
    ".globl anycudaProcess2\n"
    ".type anycudaProcess2, %gnu_unique_object\n"
    "anycudaProcess2: .zero 64\n"
    ".size anycudaProcess2, 64\n"
    ".section .rodata\n"
    "later_library: .asciz \"cudart\"\n"
    ".section .data.rel.ro, \"aw\"\n"
    ".p2align 3\n"
    ".globl anycudaCopy2\n"
    ".type anycudaCopy2, %object\n"
    "anycudaCopy2:\n"
    ".long 256, 2, 999000000, later_library - .\n"
    ".quad anycudaProcess2\n"
    ".long later_serve - .\n"
    ".long later_take_slots - .\n"
    ".long later_get_error - .\n"
    ".long later_peek_error - .\n"
    ".long later_set_error - .\n"
    ".long later_restore_error - .\n"
    ".long later_any_error - .\n"
    ".long later_register - .\n"
    ".long later_replay - .\n"
    ".zero 196\n"
    ".size anycudaCopy2, 256\n"
    ".text\n");
