// SPDX-License-Identifier: Apache-2.0

// A library whose only fat binary is the file CODE.
__asm__(
    ".section .nv_fatbin, \"a\"\n"
    ".balign 8\n"
    "code: .incbin \"" CODE
    "\"\n"
    ".previous\n");
extern const char code[];

// The argument that nvcc's objects give.
static const struct {
  unsigned magic, version;
  const void* fatbin;
  const void* more;
} wrapper = {0x466243b1u, 1, code, 0};

void** __cudaRegisterFatBinary(const void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
int cudaGetDeviceCount(int* count);

__attribute__((constructor)) static void register_code(void) {
  __cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(&wrapper));
}

int device_count(void) {
  int count = 0;
  return cudaGetDeviceCount(&count);
}
