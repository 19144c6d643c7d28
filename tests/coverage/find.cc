// SPDX-License-Identifier: Apache-2.0

// Like doctor.cc, for the question of `anycuda find`.
extern "C" void __gcov_dump();
extern "C" void __gcov_reset();

extern "C" {
int counted_find(int count, const char* const* words, int file);

__attribute__((visibility("default"))) int anycuda_find(int count, const char* const* words,
                                                        int file) {
  const int result = counted_find(count, words, file);
  __gcov_dump();
  __gcov_reset();
  return result;
}
}
