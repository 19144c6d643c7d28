// SPDX-License-Identifier: Apache-2.0

// The version in the text of a cuda.h.
#include "compat/metadata/records/cuda_header.h"
#include "tests/support/case_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace anycuda {
namespace {

struct Case {
  const char* name;
  std::string text;
  HeaderState state;
  Version version;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr Version kNone{};

class CudaHeader : public ::testing::TestWithParam<Case> {};

TEST_P(CudaHeader, IsReadAsAPreprocessorWould) {
  const HeaderVersion found = version_in_cuda_header(GetParam().text);
  EXPECT_EQ(found.state, GetParam().state);
  EXPECT_EQ(found.version.major, GetParam().version.major);
  EXPECT_EQ(found.version.minor, GetParam().version.minor);
}

using S = HeaderState;

INSTANTIATE_TEST_SUITE_P(
    Definitions, CudaHeader,
    ::testing::Values(
        Case{"plain", "#define CUDA_VERSION 12090\n", S::stated, {12, 9}},
        Case{"two_digits_of_minor", "#define CUDA_VERSION 12120\n", S::stated, {12, 12}},
        Case{"without_an_end_of_line", "#define CUDA_VERSION 13050", S::stated, {13, 5}},
        Case{"spaced", " \t#\tdefine  CUDA_VERSION\t 12090 \n", S::stated, {12, 9}},
        Case{"lines_of_windows", "\r\n#define CUDA_VERSION 12090\r\n", S::stated, {12, 9}},
        Case{"in_parentheses", "#define CUDA_VERSION ( 12090 )\n", S::stated, {12, 9}},
        Case{"with_a_suffix", "#define CUDA_VERSION 12090UL\n", S::stated, {12, 9}},
        Case{"with_comments",
             "/**/ # /*a*/ define/*b*/CUDA_VERSION/*c*/12090// d\n",
             S::stated,
             {12, 9}},
        Case{"behind_a_comment_with_the_name",
             "#/* */define /* CUDA_VERSION */ CUDA_VERSION 12090\n",
             S::stated,
             {12, 9}},
        Case{"behind_its_own_use",
             "#define A B # /* define CUDA_VERSION 1\n */\n#ifdef CUDA_VERSION\n"
             "#define CUDA_VERSION 12090\n",
             S::stated,
             {12, 9}},
        Case{"over_two_lines", "#define \\\n CUDA_VERSION \\\r\n 12090\n", S::stated, {12, 9}},
        Case{"behind_a_quote_in_a_comment",
             "/* don't */\n#define CUDA_VERSION 12090\n",
             S::stated,
             {12, 9}},
        Case{"behind_a_literal",
             "char c = '\"', *s = \"/*\";\n#define CUDA_VERSION 12090\n",
             S::stated,
             {12, 9}},
        Case{"behind_an_open_quote", "don't\n#define CUDA_VERSION 12090\n", S::stated, {12, 9}},
        Case{"in_a_condition",
             "#ifndef CUDA_VERSION\n#define CUDA_VERSION 11080\n#endif\n",
             S::stated,
             {11, 8}},
        Case{"twice_the_same",
             "#define CUDA_VERSION 11080\n#define CUDA_VERSION 11080\n",
             S::stated,
             {11, 8}}),
    test::kPrintedName);

INSTANTIATE_TEST_SUITE_P(
    NoDefinitions, CudaHeader,
    ::testing::Values(
        Case{"empty", "", S::not_stated, kNone},
        Case{"another_macro", "#define CUDA_VERSION_MAJOR 12090\n", S::not_stated, kNone},
        Case{"the_end_of_another", "#define MY_CUDA_VERSION 12090\n", S::not_stated, kNone},
        Case{"in_a_comment", "/*\n#define CUDA_VERSION 12090\n*/\n", S::not_stated, kNone},
        Case{"behind_slashes", "// #define CUDA_VERSION 12090\n", S::not_stated, kNone},
        Case{"behind_slashes_that_go_on", "// a \\\n#define CUDA_VERSION 12090\n", S::not_stated,
             kNone},
        Case{"behind_slashes_that_go_on_in_windows", "// a \\\r\n#define CUDA_VERSION 12090\n",
             S::not_stated, kNone},
        Case{"in_a_literal", "\"\\\n#define CUDA_VERSION 12090\n\"", S::not_stated, kNone},
        Case{"behind_code", "int x; #define CUDA_VERSION 12090\n", S::not_stated, kNone},
        Case{"used", "#if CUDA_VERSION >= 12090\n#undef CUDA_VERSION\n", S::not_stated, kNone},
        Case{"in_a_comment_without_end", "/* #define x\n#define CUDA_VERSION 12090\n",
             S::not_stated, kNone}),
    test::kPrintedName);

INSTANTIATE_TEST_SUITE_P(
    WrongDefinitions, CudaHeader,
    ::testing::Values(
        Case{"without_a_value", "#define CUDA_VERSION\n", S::unclear, kNone},
        Case{"cut_off", "#define CUDA_VERSION", S::unclear, kNone},
        Case{"zero", "#define CUDA_VERSION 0\n", S::unclear, kNone},
        Case{"negative", "#define CUDA_VERSION -12090\n", S::unclear, kNone},
        Case{"too_small", "#define CUDA_VERSION 129\n", S::unclear, kNone},
        Case{"no_version", "#define CUDA_VERSION 12095\n", S::unclear, kNone},
        Case{"too_large", "#define CUDA_VERSION 129000\n", S::unclear, kNone},
        Case{"larger_than_any_number", "#define CUDA_VERSION 1" + std::string(99, '0') + "\n",
             S::unclear, kNone},
        Case{"hexadecimal", "#define CUDA_VERSION 0x2f3a\n", S::unclear, kNone},
        Case{"a_name", "#define CUDA_VERSION CUDART_VERSION\n", S::unclear, kNone},
        Case{"an_expression", "#define CUDA_VERSION 12000 + 90\n", S::unclear, kNone},
        Case{"a_function", "#define CUDA_VERSION(x) 12090\n", S::unclear, kNone},
        Case{"two", "#define CUDA_VERSION 12090\n#define CUDA_VERSION 12080\n", S::ambiguous,
             kNone},
        Case{"three",
             "#define CUDA_VERSION 12090\n#define CUDA_VERSION 12080\n#define CUDA_VERSION 12090\n",
             S::ambiguous, kNone},
        Case{"one_right_and_one_wrong", "#define CUDA_VERSION 12090\n#define CUDA_VERSION x\n",
             S::ambiguous, kNone}),
    test::kPrintedName);

TEST(CudaHeader, NamesAmbiguousNumbers) {
  const HeaderVersion found =
      version_in_cuda_header("#define CUDA_VERSION 12090\n#define CUDA_VERSION 12080\n");
  EXPECT_EQ(found.number, 12090);
  EXPECT_EQ(found.other, 12080);
}

// Every beginning of a text is a text too: none may be read past its end.
TEST(CudaHeader, MayEndAnywhere) {
  const std::string whole =
      "/* a */ # \\\r\n define CUDA_VERSION \\\n (12090) // 'b' \"c\\\"\n#define CUDA_VERSION 'x\\";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string part(whole, 0, length);  // its own memory, so that a sanitizer sees its end
    const HeaderVersion found = version_in_cuda_header(part);
    EXPECT_TRUE(found.version.major == 12 || found.state != HeaderState::stated) << part;
  }
}

}  // namespace
}  // namespace anycuda
