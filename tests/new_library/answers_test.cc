// SPDX-License-Identifier: Apache-2.0

// The calls of programs of both releases, through the stub, on both: the answers equal those of the
// release's library to the program that is linked with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "new_library.h"
#include "support/answers.h"
#include "support/case_names.h"
#include "support/machine.h"

namespace anycuda::test {
namespace {

constexpr Component kCudss{"cudss"};

// pip install of the library, which brings the cuBLAS of its CUDA.
void install(Machine* machine, const std::string& release) {
  machine->wheel(kCudss, release).wheel(cublas, release == "0.5" ? "12.9" : "13.5");
}

Answers run(const Machine& machine, const Path& program) {
  const ProcessResult result = machine.run({program.string()});
  EXPECT_TRUE(result.ok()) << result.describe();
  return answers_by_name(result);
}

// What the program of the installed release gets from the library that it is linked with.
Answers directly(const std::string& release) {
  Machine machine;
  install(&machine, release);
  for (const auto& entry : std::filesystem::directory_iterator(machine.site_packages() / "nvidia"))
    machine.library_path(entry.path() / "lib");
  return run(machine, program("native", release));
}

std::string status(int value) { return " " + std::to_string(value); }

// How the stub gets into a program: linked, as a part of it, or under the real library's name.
struct Way {
  const char* name;
  const char* programs;
  bool dropin;
};
constexpr Way kWays[] = {
    {"Linked", "stubbed", false}, {"Static", "static", false}, {"DropIn", "native", true}};

void PrintTo(const Way& way, std::ostream* stream) { *stream << way.name; }

class Through : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (GetParam().dropin) machine_.library_path(dropin().parent_path());
  }
  Answers run_built_for(const std::string& release) {
    return run(machine_, program(GetParam().programs, release));
  }
  void compare(const std::string& installed) {
    const Answers wanted = directly(installed);
    ASSERT_GT(wanted.size(), 25u);
    install(&machine_, installed);
    for (const std::string& built_for : kReleases) {
      SCOPED_TRACE("built for " + built_for + " on " + installed);
      std::size_t compared = 0;
      for (const auto& [name, values] : run_built_for(built_for)) {
        const auto same = wanted.find(name);
        if (same != wanted.end()) {
          EXPECT_EQ(values, same->second) << name;
          ++compared;
        } else {  // the library lacks the function
          EXPECT_GT(built_for, installed) << name;
          EXPECT_EQ(status_of(values), status(NEW_LIBRARY_ABSENT)) << name;
        }
      }
      if (built_for >= installed) {
        EXPECT_EQ(compared, wanted.size());
      } else {  // its headers lack the newer functions
        EXPECT_EQ(compared + 3, wanted.size());
      }
    }
  }
  Machine machine_;
};

TEST_P(Through, TheStubOnCuda12sTheAnswersAreTheLibrarys) { compare("0.5"); }
TEST_P(Through, TheStubOnCuda13sTheAnswersAreTheLibrarys) { compare("0.7"); }

TEST_P(Through, TheStubTheNewestReleaseIsTaken) {
  for (const std::string& release : kReleases) install(&machine_, release);
  for (const std::string& built_for : kReleases) {
    const Answers got = run_built_for(built_for);
    EXPECT_EQ(got.at("property 0"), " 0 0");
    EXPECT_EQ(got.at("property 1"), " 0 7");
  }
}

TEST_P(Through, TheStubWithoutTheLibraryIsItsStatus) {
  for (const std::string& built_for : kReleases) {
    const Answers got = run_built_for(built_for);
    EXPECT_GT(got.size(), 25u);
    for (const auto& [name, values] : got) {
      // Some lines have no status, only the values that the call before has filled in.
      if (name.find("kind") != std::string::npos || name == "sparse pointers") continue;
      EXPECT_EQ(status_of(values), status(NEW_LIBRARY_NO_LIBRARY)) << name;
    }
    EXPECT_EQ(got.at("create"), status(NEW_LIBRARY_NO_LIBRARY) + " null");
    EXPECT_EQ(got.at("property 0"), status(NEW_LIBRARY_NO_LIBRARY) + " 0");
    EXPECT_EQ(got.at("dense get"), status(NEW_LIBRARY_NO_LIBRARY) + " 0 0 0 0");
  }
}

INSTANTIATE_TEST_SUITE_P(NewLibrary, Through, ::testing::ValuesIn(kWays), kPrintedName);

}  // namespace
}  // namespace anycuda::test
