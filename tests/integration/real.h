// SPDX-License-Identifier: Apache-2.0

// The common parts of the tests on real libraries: where the programs are, and how to read their
// answers.
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

// The newest release of each major, and the programs that were built for them.
inline const std::vector<std::string> kReleases = {"11.8", "12.9", "13.5"};

Path stub(const std::string& library);     // "cudart": the stub that was built
std::vector<Path> all_stubs();             // by name
Path dropin_folder();                      // of libcudart.so.12 and its like
Path patched(const std::string& program);  // "call_cudart-12", and what it needs is the stub
Path native(const std::string& program);   // the same as the linker left it
Path linked(const std::string& program);   // linked with lib/link/<major>
Path versionless(const std::string& program);
Path fake(const std::string& name);        // a fake runtime
Path kernels(const std::string& release);  // what its nvcc built, patched
Path native_kernels(const std::string& release);
Path strace();
Path python();
Path strip();

// The library file of an artifact: of("cudart", "12.9") is …/libcudart.so.12 in the cache.
Path library_of(Component component, const std::string& version);
// A copy of a file, at `to`, that calls itself by another name.
void copy_with_soname(const Path& from, const Path& to, const std::string& soname);

// Edits a file with patchelf, as its packager would.
void patch_elf(const Path& file, const std::vector<std::string>& options);

std::string content(const Path& file);
// The value of the line "name: value" that a program printed.
std::string answer(const ProcessResult& result, const std::string& name);

// Why a program is not there; empty if it is.
std::string why_not_built(const Path& program);

}  // namespace anycuda::test

// Skips with a reason where an artifact or a program of this build is missing.
#define REQUIRE_ARTIFACT(name)                                                            \
  if (const std::string why = Artifacts::of_this_build().why_missing(name); !why.empty()) \
  GTEST_SKIP() << why
#define REQUIRE_PROGRAM(path) \
  if (const std::string why = why_not_built(path); !why.empty()) GTEST_SKIP() << why
