// SPDX-License-Identifier: Apache-2.0

// Device code in every form that a linker is given, and in some that it cannot take.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "anycuda/linker/linker.h"

namespace walk {

struct Form {
  std::string name;  // "second.lto.o"
  anycuda::linker::InputType type;
  std::string bytes;
  std::set<std::string> kernels;         // in the result of every link that succeeds
  std::set<std::string> functions = {};  // what it defines beside

  // The Linker can read what it defines. A kernel twice in other forms is nvJitLink's to find,
  // which it does not survive.
  bool is_read() const {
    return type == anycuda::linker::InputType::ptx || type == anycuda::linker::InputType::cubin;
  }
};

// The files of a folder: "second.whole.cubin" has the kernel `second`; "first+second.o" both.
std::vector<Form> forms_in(const std::string& folder);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace walk
