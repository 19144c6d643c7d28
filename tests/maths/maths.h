// SPDX-License-Identifier: Apache-2.0

// What the tests of the maths libraries share: the libraries, where the programs are, how to run
// them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/answers.h"
#include "support/machine.h"

namespace anycuda::test {

using Path = std::filesystem::path;

// The newest release of each major; programs are named after its major.
inline const std::vector<std::string> kReleases = {"11.8", "12.9", "13.5"};
std::string major_of(const std::string& release);

// A program, the wheels that pip installs for the library it calls, and the statuses of its stub,
// as stubs/<library>/library.json documents them.
struct Library {
  std::string program;
  std::vector<Component> wheels;  // the library's own is the first
  int no_library;
  int absent;
  int rejected;
};
const std::vector<Library>& libraries();
const Library& library(const std::string& program);

Path native(const std::string& program);   // "call_cublas-12", as the linker left it
Path patched(const std::string& program);  // the same, and what it needs is the stub
Path dropins();                            // the folder of libcublas.so.12 and its like

// pip install of the library's wheels. What a release lacks (CUDA 11 has no nvJitLink) is left out.
void install(Machine* machine, const Library& library, const std::string& release);
// A file of an installed wheel: ("12.9", "libcublas.so.12").
Path installed(const Machine& machine, const std::string& release, const std::string& file);
// The folders of the machine's wheels in LD_LIBRARY_PATH, for a program that is linked with the
// real library.
void link_directly(Machine* machine, const std::string& release);

// Skips with a reason where an artifact of this build is missing.
std::string why_not_there(const Library& library);

}  // namespace anycuda::test
