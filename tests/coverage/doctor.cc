// SPDX-License-Identifier: Apache-2.0

// `anycuda doctor` asks in a forked Python that ends by os._exit(), without destructors: each
// function writes the counts before it returns. The real ones are compiled by these names
// (CMakeLists.txt).
#include "compat/doctor/ask.h"

extern "C" void __gcov_dump();
extern "C" void __gcov_reset();

namespace {

int counted(int result) {
  __gcov_dump();
  __gcov_reset();
  return result;
}

}  // namespace

extern "C" {
int counted_about(int file);
int counted_ask(const char* library, int caller_major, int file);
int counted_driver(int file);
int counted_folders(int count, const char* const* folders, int file);
int counted_machine(int file);

int anycuda_doctor_about(int file) { return counted(counted_about(file)); }
int anycuda_doctor_ask(const char* library, int caller_major, int file) {
  return counted(counted_ask(library, caller_major, file));
}
int anycuda_doctor_driver(int file) { return counted(counted_driver(file)); }
int anycuda_doctor_folders(int count, const char* const* folders, int file) {
  return counted(counted_folders(count, folders, file));
}
int anycuda_doctor_machine(int file) { return counted(counted_machine(file)); }
}
