// SPDX-License-Identifier: Apache-2.0

// Variables that get the values of the library's variables. The values are here those at the
// addresses of functions: the library of the tests has no variables.
#include "loader/symbols/variables.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using namespace unit;  // NOLINT: files and processes

int anything = 0;
// An address that is relocated, and then read-only: where a program has its copy of a constant.
int* const read_only_copy = &anything;

void* open_test_library() {
  void* const handle = dlopen(fake_library("libtest.so.12").c_str(), RTLD_NOW);
  EXPECT_NE(handle, nullptr);
  return handle;
}

TEST(Variables, HaveTheValuesOfTheLibrary) {
  in_child([] {
    void* const library = open_test_library();
    char variable[8] = {};
    const VariableRow rows[] = {{"testCore", variable, sizeof variable}, {nullptr, nullptr, 0}};
    fill_variables(rows, library);
    EXPECT_EQ(std::memcmp(variable, dlsym(library, "testCore"), sizeof variable), 0);
  });
}

TEST(Variables, ThatTheLibraryLacksStayZero) {
  in_child([] {
    char variable[8] = {};
    const VariableRow rows[] = {{"testNobodyHasThis", variable, sizeof variable},
                                {nullptr, nullptr, 0}};
    fill_variables(rows, open_test_library());
    EXPECT_EQ(std::memcmp(variable, "\0\0\0\0\0\0\0", sizeof variable), 0);
  });
}

TEST(Variables, CopyInReadOnlyMemoryIsFilledAndReadOnlyAgain) {
  in_child([] {
    void* const library = open_test_library();
    auto* const copy = const_cast<int**>(&read_only_copy);
    const VariableRow rows[] = {{"testCore", copy, sizeof *copy}, {nullptr, nullptr, 0}};
    fill_variables(rows, library);
    EXPECT_EQ(std::memcmp(copy, dlsym(library, "testCore"), sizeof *copy), 0);
    EXPECT_DEATH(*const_cast<int* volatile*>(copy) = nullptr, "");
  });
}

TEST(Variables, WithoutRowsAreLeft) { fill_variables(nullptr, nullptr); }

}  // namespace
}  // namespace anycuda
