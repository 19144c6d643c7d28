// SPDX-License-Identifier: Apache-2.0

// Opening a file that is not the one that was examined; what libraries report is tested on real
// ones (real/guard_rails_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "compat/library/open_library.h"
#include "tests/support/unit/environment.h"

namespace anycuda::compat {
namespace {

using testing::HasSubstr;

bool never(Version) {
  ADD_FAILURE() << "asked about the version of a library that reports none";
  return false;
}

// libc is open in every process, under the name that other libraries have for it.
constexpr char kOther[] = "libc.so.6";

OpenedLibrary open_other(const char* component, bool loaded) {
  ComponentInstance instance;
  instance.component = &component_named(Kind::dynamic_library, component);
  instance.path = "/proc/self/exe";
  instance.soname_major = 12;
  return open_library(instance, kOther, loaded, never);
}

TEST(OpenLibrary, AnotherFileThanTheExaminedOneIsRefused) {
  for (const char* component : {"cublas", "cudart"}) {
    const OpenedLibrary opened = open_other(component, false);
    EXPECT_EQ(opened.handle, nullptr);
    EXPECT_THAT(opened.mismatch, HasSubstr("the dynamic linker opened another file for it, /"));
    EXPECT_THAT(opened.mismatch, HasSubstr(kOther));
    EXPECT_TRUE(opened.stays_open) << "the process has it";
  }
}

// The guard rails have read its metadata and evaluated it; then another takes its place.
TEST(OpenLibrary, AFileThatIsExchangedAfterItsEvaluationIsRefused) {
  unit::TempTree tree;
  for (const char* component : {"cublas", "cudart"}) {
    ComponentInstance instance;
    instance.component = &component_named(Kind::dynamic_library, component);
    instance.path = tree.fake("libtest_stub.so", std::string(component) + ".so");
    instance.file = identity_of(instance.path);
    ASSERT_NE(instance.file.inode, 0u);
    const std::string other = tree.fake("libtest_stub.so", "other.so");
    ASSERT_EQ(std::rename(other.c_str(), instance.path.c_str()), 0);
    const OpenedLibrary opened = open_library(instance, instance.path, false, never);
    EXPECT_EQ(opened.handle, nullptr);
    EXPECT_THAT(opened.mismatch, HasSubstr("the dynamic linker opened another file for it"));
    EXPECT_FALSE(opened.stays_open);
    instance.file = identity_of(instance.path);
    EXPECT_NE(open_library(instance, instance.path, false, never).handle, nullptr);
  }
}

TEST(OpenLibrary, LoadedLibraryIsNotComparedWithAFile) {
  EXPECT_NE(open_other("cublas", true).handle, nullptr);
}

TEST(OpenLibrary, ATokenInAPathIsNotOpened) {
  ComponentInstance instance;
  instance.component = &component_named(Kind::dynamic_library, "cublas");
  instance.path = "/opt/$LIB/libcublas.so.12";
  const OpenedLibrary opened = open_library(instance, instance.path, false, never);
  EXPECT_EQ(opened.handle, nullptr);
  EXPECT_THAT(opened.cause, HasSubstr("dlopen() replaces the $"));
}

}  // namespace
}  // namespace anycuda::compat
