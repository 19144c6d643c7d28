// SPDX-License-Identifier: Apache-2.0

// The files of a new library's stub and drop-in, beside the real library of each release.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "new_library.h"
#include "support/elf_file.h"

namespace anycuda::test {
namespace {

// A library without symbol versions has its functions under the stub's own.
constexpr const char* kVersion = "ANYCUDA_NATIVE";

std::set<std::string> functions(const Path& file) {
  std::set<std::string> names;
  for (const ElfSymbol& symbol : ElfFile::read(file).exports) {
    if (symbol.is_function) names.insert(symbol.name + "@" + symbol.version);
  }
  return names;
}

class File : public ::testing::TestWithParam<Path> {};

TEST_P(File, ExportsTheFunctionsOfEveryRelease) {
  std::set<std::string> wanted;
  for (const std::string& release : kReleases) {
    for (const std::string& name : functions(real_library(release))) wanted.insert(name + kVersion);
  }
  EXPECT_GT(wanted.size(), 30u);
  EXPECT_EQ(functions(GetParam()), wanted);
}

TEST_P(File, HasNoFunctionUnderASecondVersion) {
  EXPECT_THAT(ElfFile::read(GetParam()).version_definitions, ::testing::ElementsAre(kVersion));
}

TEST_P(File, IsCalledAsItsFileIs) {
  EXPECT_EQ(ElfFile::read(GetParam()).soname, GetParam().filename());
}

TEST_P(File, NeedsOnlyLibc) {
  for (const std::string& library : ElfFile::read(GetParam()).needed) {
    EXPECT_THAT(library, ::testing::AnyOf("libc.so.6", "ld-linux-x86-64.so.2", "libdl.so.2",
                                          "libpthread.so.0"));
  }
}

INSTANTIATE_TEST_SUITE_P(NewLibrary, File, ::testing::Values(stub(), dropin()),
                         [](const auto& info) { return info.index == 0 ? "Stub" : "DropIn"; });

TEST(DropIn, HasTheSonameOfTheRealLibrary) {
  for (const std::string& release : kReleases) {
    EXPECT_EQ(ElfFile::read(dropin()).soname, ElfFile::read(real_library(release)).soname);
  }
}

TEST(Program, NeedsTheStubAndNotTheLibrary) {
  for (const std::string& release : kReleases) {
    const std::vector<std::string> needed = ElfFile::read(program("stubbed", release)).needed;
    EXPECT_THAT(needed, ::testing::Contains("libcudss_stub.so"));
    EXPECT_THAT(needed, ::testing::Not(::testing::Contains("libcudss.so.0")));
    EXPECT_THAT(ElfFile::read(program("native", release)).needed,
                ::testing::Contains("libcudss.so.0"));
  }
}

}  // namespace
}  // namespace anycuda::test
