// SPDX-License-Identifier: Apache-2.0

// The registration functions of the fake library of major 12: they record their arguments.
struct call {
  unsigned kind;  // as in stubs/cudart/registration_log.h
  void** handle;
  unsigned long long arguments[9];
};
static struct call calls[64];
static int count;
static void* handles[64];

// What a registration calls while it is at it, as a real library may.
void (*testHook)(void);

const struct call* testRegistrations(int* how_many) {
  *how_many = count;
  return calls;
}

typedef unsigned long long word;
static void** note(unsigned kind, void** handle, word a, word b, word c, word d, word e, word f,
                   word g, word h, word i) {
  struct call made = {kind, handle, {a, b, c, d, e, f, g, h, i}};
  calls[count] = made;
  if (testHook) testHook();
  return &handles[count++];
}

void** __cudaRegisterFatBinary(word fat) { return note(1, 0, fat, 0, 0, 0, 0, 0, 0, 0, 0); }
void __cudaRegisterFatBinaryEnd(void** handle) { note(2, handle, 0, 0, 0, 0, 0, 0, 0, 0, 0); }
void __cudaRegisterFunction(void** handle, word a, word b, word c, int d, word e, word f, word g,
                            word h, word i) {
  note(3, handle, a, b, c, (unsigned)d, e, f, g, h, i);
}
void __cudaRegisterVar(void** handle, word a, word b, word c, int d, word e, int f, int g) {
  note(4, handle, a, b, c, (unsigned)d, e, (unsigned)f, (unsigned)g, 0, 0);
}
void __cudaUnregisterFatBinary(void** handle) { note(99, handle, 0, 0, 0, 0, 0, 0, 0, 0, 0); }
char __cudaInitModule(void** handle) {
  note(98, handle, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  return 1;
}
