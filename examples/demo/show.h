// SPDX-License-Identifier: Apache-2.0

// Runs every program on every machine, prints the tables and keeps account of what was not as
// expected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "facts.h"
#include "support/machine.h"

namespace anycuda::demo {

class Demo {
 public:
  // `programs`: the folder with the programs. `native`: they are as they were built, without stubs.
  Demo(std::string programs, bool native);

  // True if something was checked and all of it was as expected.
  bool run();

 private:
  void show_section(Program program, bool driver, const char* title);
  void show_row(Program program, const Setup& setup);
  std::unique_ptr<test::Machine> machine_for(Program program, const Setup& setup);
  std::string cell(Program program, const Release& release, const Setup& setup,
                   const test::Machine& machine);
  void show_account() const;

  std::string programs_;
  bool native_;
  bool mismatch_;  // this computer has an NVIDIA driver of another version
  int checked_ = 0;
  std::vector<std::string> failures_;  // the fields, each with what belongs to it
  std::vector<std::string> skipped_;
  std::string report_;  // of a program on a machine without CUDA
};

}  // namespace anycuda::demo
