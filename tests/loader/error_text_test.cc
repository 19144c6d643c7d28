// SPDX-License-Identifier: Apache-2.0

// Names and texts of errors that are newer than the loaded library.
#include "loader/error_text.h"

#include <gtest/gtest.h>

#include "tests/support/unit/test_tables.h"

namespace anycuda {
namespace {

using namespace unit;  // NOLINT: the symbols of the made-up library

// Libraries: `known` errors, counted from 0.
template <int known>
const char* name_in_library(int error) {
  return error < known ? "the library's" : "unknown to the library";
}
template <int known>
int text_in_library(int error, const char** text) {
  if (text == nullptr) return 1;
  *text = error < known ? "the library's" : nullptr;
  return error < known ? 0 : 1;
}
template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

constexpr int k11 = 1, k12 = 2;  // callers, by symbol version

const SymbolRow& row(Symbol symbol) { return kTables.symbols[symbol]; }

using Text = const char*(int);
using Output = int(int, const char**);

template <typename Function>
Function* found(Symbol symbol, int caller, Function* function) {
  return reinterpret_cast<Function*>(error_text_function(row(symbol), caller, address(function)));
}

// (The first of this file: callers of a process share what the database gives.)
TEST(NewerErrors, AreThoseOfTheCallersMajors) {
  Text* const library = name_in_library<1>;
  Text* of_11 = found(kErrorString, k11, library);
  ASSERT_NE(of_11, library) << "11 has error 1";
  EXPECT_STREQ(of_11(2), "unknown to the library");
  Text* of_12 = found(kErrorString, k12, library);
  EXPECT_STREQ(of_12(2), "came with 12");
}

TEST(NewerErrors, ALibraryThatKnowsAllIsCalledDirectly) {
  for (const int caller : {int{kUnversioned}, k11, k12}) {
    EXPECT_EQ(found(kErrorName, caller, name_in_library<3>), name_in_library<3>);
    EXPECT_EQ(found(kErrorText, caller, text_in_library<3>), text_in_library<3>);
  }
  EXPECT_EQ(found(kErrorName, k11, name_in_library<2>), name_in_library<2>);
}

TEST(NewerErrors, OlderLibraryIsQueriedFirst) {
  for (const int caller : {int{kUnversioned}, k12}) {
    Text* name = found(kErrorName, caller, name_in_library<2>);
    EXPECT_STREQ(name(1), "the library's");
    EXPECT_STREQ(name(2), "errorOf12");
    EXPECT_STREQ(name(99), "unknown to the library");
    EXPECT_STREQ(name(-1), "the library's");
  }
}

// A library's text for an error that it does not know: at another address, or null.
const char* unknown_at_two_places(int error) {
  static char here[] = "?", there[] = "?";
  return error == 2 ? here : error < 2 ? "the library's" : there;
}
const char* none_for_one_error(int error) {
  return error == 2 ? nullptr : name_in_library<2>(error);
}
const char* all_but_the_first(int error) { return error == 0 ? "?" : error < 3 ? "known" : "?"; }

TEST(NewerErrors, ALibrarysAnswerForAnUnknownErrorIsCompared) {
  for (Text* library : {unknown_at_two_places, none_for_one_error, all_but_the_first}) {
    EXPECT_NE(found(kErrorName, k12, library), library);
  }
}

TEST(NewerErrors, MayBeOutputs) {
  Output* text_of = found(kErrorText, k12, text_in_library<2>);
  const char* text = "before";
  EXPECT_EQ(text_of(1, &text), 0);
  EXPECT_STREQ(text, "the library's");
  EXPECT_EQ(text_of(2, &text), 0);
  EXPECT_STREQ(text, "came with 12");
  EXPECT_EQ(text_of(99, &text), 1);
  EXPECT_EQ(text, nullptr);
}

TEST(NewerErrors, NamesAndTextsComeFromSeparateFunctions) {
  Text* const name = found(kErrorName, k12, name_in_library<1>);
  Text* const text = found(kErrorString, k12, name_in_library<2>);
  EXPECT_STREQ(name(1), "errorInvalid");
  EXPECT_STREQ(text(1), "the library's");
}

// A library that does not write its output, and one that returns success and an empty output.
int leaves_output(int error, const char** text) {
  if (error < 2) *text = "the library's";
  return error < 2 ? 0 : 1;
}
int always_succeeds(int error, const char** text) {
  static char unknown[] = "?";
  *text = error < 2 ? "the library's" : unknown;
  return 0;
}

TEST(NewerErrors, EveryFormOfAnUnknownAnswer) {
  for (Output* library : {leaves_output, always_succeeds}) {
    const char* text = "before";
    EXPECT_EQ(found(kErrorText, k12, library)(2, &text), 0);
    EXPECT_STREQ(text, "came with 12");
  }
}

const char* knows_none(int) { return "?"; }

TEST(NewerErrors, UnknownEverywhere_AreNamedByTheLibrary) {
  Text* const name = found(kErrorName, k12, knows_none);
  EXPECT_STREQ(name(1), "errorInvalid");
  EXPECT_STREQ(name(-1), "?") << "less than each error of the database";
  EXPECT_STREQ(name(3), "?");
}

TEST(NewerErrors, NullOutput_IsRefusedByTheLibrary) {
  EXPECT_EQ(found(kErrorText, k12, text_in_library<2>)(2, nullptr), 1);
}

}  // namespace
}  // namespace anycuda
