// SPDX-License-Identifier: Apache-2.0

// Asks the questions from a program that is not Python. Usage: FILE about | driver | machine |
// folders PREFIX FOLDER... | find CONSTRAINT KIND NAME... | LIBRARY MAJOR, where FILE is the number
// of an open file descriptor. The exit status is the result of the question.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compat/doctor/ask.h"

namespace {

// The library (compat/find/find.h) is beside this program, and opened only for its question.
int find(int count, char** words, int file) {
  void* const library = dlopen("libanycuda_find.so", RTLD_NOW);
  void* const function = library != nullptr ? dlsym(library, "anycuda_find") : nullptr;
  if (function == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return ENOENT;
  }
  return reinterpret_cast<int (*)(int, char**, int)>(function)(count, words, file);
}

int answer(int count, char** arguments) {
  if (count < 3) return 2;
  const int file = std::atoi(arguments[1]);
  fcntl(file, F_SETFD, FD_CLOEXEC);  // what a driver starts must not keep the answer open
  if (std::strcmp(arguments[2], "about") == 0) return anycuda_doctor_about(file);
  if (std::strcmp(arguments[2], "driver") == 0) return anycuda_doctor_driver(file);
  if (std::strcmp(arguments[2], "machine") == 0) return anycuda_doctor_machine(file);
  if (std::strcmp(arguments[2], "folders") == 0) {
    return anycuda_doctor_folders(count - 3, arguments + 3, file);
  }
  if (std::strcmp(arguments[2], "find") == 0) return find(count - 3, arguments + 3, file);
  return count == 4 ? anycuda_doctor_ask(arguments[2], std::atoi(arguments[3]), file) : 2;
}

}  // namespace

// _exit(), since the answer is complete: the exit handlers of the opened libraries must not run.
int main(int count, char** arguments) { _exit(answer(count, arguments)); }
