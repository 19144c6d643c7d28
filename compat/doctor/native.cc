// SPDX-License-Identifier: Apache-2.0

// Asks the questions from a program that is not Python. Usage: FILE about | driver | machine |
// folders PREFIX FOLDER... | LIBRARY MAJOR, where FILE is the number of an open file descriptor.
// The exit status is the result of the question.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "compat/doctor/ask.h"

namespace {

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
  return count == 4 ? anycuda_doctor_ask(arguments[2], std::atoi(arguments[3]), file) : 2;
}

}  // namespace

// _exit(), since the answer is complete: the exit handlers of the opened libraries must not run.
int main(int count, char** arguments) { _exit(answer(count, arguments)); }
