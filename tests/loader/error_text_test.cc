// Names and texts of errors that came after the loaded library.
#include "loader/error_text.h"

#include <gtest/gtest.h>

#include "tests/support/unit/frames.h"
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
  *text = error < known ? "the library's" : nullptr;
  return error < known ? 0 : 1;
}
template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

constexpr int k11 = 1, k12 = 2;  // callers, by symbol version

const SymbolRow& row(Symbol symbol) { return kTables.symbols[symbol]; }

Frame asking_for(std::uint64_t error, const char** text = nullptr) {
  Frame frame{};
  frame.integer[0] = error;
  frame.integer[1] = reinterpret_cast<std::uintptr_t>(text);
  return frame;
}

const char* given(const Frame& frame) { return reinterpret_cast<const char*>(frame.result); }

TEST(NewerErrors, TheNewestLibraryKnowsAll) {
  for (const int caller : {int{kNativeSymbolVersion}, k11, k12}) {
    EXPECT_TRUE(knows_all_errors(row(kErrorName), caller, address(name_in_library<3>)));
    EXPECT_TRUE(knows_all_errors(row(kErrorText), caller, address(text_in_library<3>)));
  }
}

TEST(NewerErrors, AnOlderLibraryLacksOnlyErrorsOfTheCallersMajor) {
  EXPECT_FALSE(knows_all_errors(row(kErrorName), k12, address(name_in_library<2>)));
  EXPECT_FALSE(knows_all_errors(row(kErrorText), k12, address(text_in_library<2>)));
  EXPECT_FALSE(
      knows_all_errors(row(kErrorName), kNativeSymbolVersion, address(name_in_library<2>)));
  EXPECT_TRUE(knows_all_errors(row(kErrorName), k11, address(name_in_library<2>)))
      << "11 has no such error";
}

// Whatever a library says of an error that it does not know: a text at another place, or none.
const char* unknown_at_two_places(int error) {
  static char here[] = "?", there[] = "?";
  return error == 2 ? here : error < 2 ? "the library's" : there;
}
const char* none_for_one_error(int error) {
  return error == 2 ? nullptr : name_in_library<2>(error);
}
const char* all_but_the_first(int error) { return error == 0 ? "?" : error < 3 ? "known" : "?"; }

TEST(NewerErrors, ALibrarysAnswerForAnUnknownErrorIsCompared) {
  EXPECT_FALSE(knows_all_errors(row(kErrorName), k12, address(unknown_at_two_places)));
  EXPECT_FALSE(knows_all_errors(row(kErrorName), k12, address(none_for_one_error)));
  EXPECT_FALSE(knows_all_errors(row(kErrorName), k12, address(all_but_the_first)));
}

TEST(NewerErrors, ComeFromTheDatabase) {
  Frame frame = asking_for(0xdead00000002);  // the upper half of an int's register is garbage
  EXPECT_TRUE(give_newer_error_text(row(kErrorName), k12, address(name_in_library<2>), &frame));
  EXPECT_STREQ(given(frame), "errorOf12");
  frame = asking_for(2);
  EXPECT_TRUE(give_newer_error_text(row(kErrorString), k12, address(name_in_library<2>), &frame));
  EXPECT_STREQ(given(frame), "came with 12");
}

TEST(NewerErrors, MayBeAnOutput) {
  const char* text = "before";
  Frame frame = asking_for(2, &text);
  EXPECT_TRUE(give_newer_error_text(row(kErrorText), kNativeSymbolVersion,
                                    address(text_in_library<2>), &frame));
  EXPECT_EQ(frame.result, 0u);
  EXPECT_STREQ(text, "came with 12");
}

TEST(NewerErrors, LeaveTheRestToTheLibrary) {
  const auto answered = [](int caller, std::uint64_t error) {
    Frame frame = asking_for(error);
    return give_newer_error_text(row(kErrorName), caller, address(name_in_library<2>), &frame);
  };
  EXPECT_FALSE(answered(k12, 1)) << "the library knows it";
  EXPECT_FALSE(answered(k12, 99)) << "nobody knows it";
  EXPECT_FALSE(answered(k11, 2)) << "the caller's CUDA does not have it";
}

}  // namespace
}  // namespace anycuda
