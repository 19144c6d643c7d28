// SPDX-License-Identifier: Apache-2.0

// Options as text, in both directions.
#include "anycuda/linker/option_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>

#include "anycuda/linker/errors.h"
#include "linker/options/option_table.h"
#include "linker/options/option_words.h"

using namespace anycuda::linker;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// "field: message"
template <typename Action>
std::string refusal(Action action) {
  try {
    action();
    return "no error";
  } catch (const OptionError& error) {
    return error.option() + ": " + error.what();
  }
}
std::string refused(const std::string& text) {
  return refusal([&] { (void)parse_options(text); });
}

TEST(OptionText, TheExampleOfTheHeader) {
  const Options options = parse_options("-arch=sm_90 -lto -O3 -Xptxas=-v");
  EXPECT_EQ(options.arch, "sm_90");
  EXPECT_TRUE(options.lto);
  EXPECT_EQ(options.optimization_level, 3);
  EXPECT_THAT(options.ptxas_options, ElementsAre("-v"));
  EXPECT_EQ(to_text(options), "-arch=sm_90 -lto -O3 -Xptxas=-v");
}

TEST(OptionText, NoText_IsNoOptions) {
  EXPECT_EQ(to_text(Options{}), "");
  EXPECT_EQ(to_text(parse_options(" \t\n")), "");
  EXPECT_EQ(to_text(parse_program_options("")), "");
}

// Each row of both tables, by its own spelling, with a value that suits it.
template <typename Target>
void expect_round_trips(const OptionTable<Target>& table,
                        Target (*parse)(const std::vector<std::string>&)) {
  for (const OptionRow<Target>& row : table) {
    std::string word = row.spelling;
    const bool is_flag = std::holds_alternative<bool Target::*>(row.member) ||
                         std::holds_alternative<OneValue<Target>>(row.member);
    if (!is_flag || word.back() == '=') {
      const bool is_text = std::holds_alternative<std::string Target::*>(row.member) ||
                           std::holds_alternative<std::vector<std::string> Target::*>(row.member);
      const bool is_number = std::holds_alternative<std::optional<int> Target::*>(row.member);
      word += is_text ? "a \"b\"\\'c=" : is_number ? "31" : table.yes;
    }
    const Target options = parse({word});
    EXPECT_THAT(words_for(table, row, options), ElementsAre(word)) << row.field;
    EXPECT_THAT(to_option_list(options), ElementsAre(word));
    EXPECT_THAT(words_of(to_text(options)), ElementsAre(word));
  }
}

TEST(OptionText, EveryRowRoundTrips) {
  expect_round_trips(link_option_table(), parse_option_list);
  expect_round_trips(program_option_table(), parse_program_option_list);
}

TEST(OptionText, FalseIsKept) {
  const Options link = parse_options("-ftz=0 -prec-div=false -prec-sqrt=true -fma=1");
  EXPECT_EQ(link.ftz, false);
  EXPECT_EQ(link.prec_div, false);
  EXPECT_EQ(to_text(link), "-ftz=0 -prec-div=0 -prec-sqrt=1 -fma=1");
  const ProgramOptions program = parse_program_options("-rdc=true -rdc=false -fmad=false");
  EXPECT_EQ(to_text(program), "-fmad=false");
}

TEST(OptionText, OtherSpellings) {
  EXPECT_EQ(to_text(parse_options("--gpu-name sm_80 --opt-level 2 -v --generate-line-info "
                                  "--device-debug -fmad=0 -dlto --maxrregcount 64 -Xptxas -v")),
            "-arch=sm_80 -lto -O2 -g -lineinfo -verbose -maxrregcount=64 -fma=0 -Xptxas=-v");
  EXPECT_EQ(to_text(parse_program_options(
                "--gpu-architecture=sm_80 --std c++17 -dc -I a -Ib --include-path=c -D N=4 -DM "
                "--undefine-macro=K --pre-include x.h --ptxas-options=-v --dopt=on")),
            "-arch=sm_80 -std=c++17 -rdc=true -dopt=on -Ia -Ib -Ic -include=x.h -DN=4 -DM -UK "
            "-Xptxas=-v");
}

TEST(OptionText, QuotesProtectBlanks) {
  const ProgramOptions options =
      parse_program_options(R"(-I"/a b/include" '-DTEXT="x y"' -DB=\ c -D"C=\"\\")");
  EXPECT_THAT(options.include_folders, ElementsAre("/a b/include"));
  EXPECT_THAT(options.defines, ElementsAre("TEXT=\"x y\"", "B= c", "C=\"\\"));
  EXPECT_EQ(to_text(parse_program_options(to_text(options))), to_text(options));
  EXPECT_THAT(refused("-arch='sm_90"), HasSubstr("a quote that is not closed: ''sm_90'"));
  EXPECT_THAT(words_of("a '' b"), ElementsAre("a", "", "b"));
}

TEST(OptionText, TheLastOneCounts_ListsGrow) {
  EXPECT_EQ(to_text(parse_options("-O0 -O3 -Xptxas=-v -Xptxas=-O1 -kernels-used=a "
                                  "-kernels-used=b")),
            "-O3 -kernels-used=a -kernels-used=b -Xptxas=-v -Xptxas=-O1");
}

TEST(OptionText, UnknownOptionIsNamed) {
  EXPECT_THAT(refused("-lto -fast"), HasSubstr("-fast: the word '-fast' is not an option"));
  EXPECT_THAT(refused("-lto=1"), HasSubstr("-lto=1: "));
  EXPECT_THAT(refused("sm_90"), HasSubstr("sm_90: "));
  EXPECT_THAT(refused("-arch2=sm_90"), HasSubstr("-arch2=sm_90: "));
  EXPECT_THAT(refused("---lto"), HasSubstr("---lto: "));
  EXPECT_THAT(refused("\"\""), HasSubstr("the word '' is not"));
  EXPECT_THAT(refused("-ltoir"), HasSubstr("-ltoir: ")) << "nvJitLink takes it for -lto";
}

TEST(OptionText, MalformedValueNamesTheField) {
  EXPECT_THAT(refused("-O"), HasSubstr("optimization_level: the option optimization_level has no"));
  EXPECT_THAT(refused("-Ofast"), HasSubstr("optimization_level cannot be 'fast'"));
  EXPECT_THAT(refused("-maxrregcount="), HasSubstr("max_registers cannot be ''"));
  EXPECT_THAT(refused("-maxrregcount=4x"), HasSubstr("max_registers cannot be '4x'"));
  EXPECT_THAT(refused("-maxrregcount=99999999999"), HasSubstr("expected a number"));
  EXPECT_THAT(refused("-ftz=yes"), HasSubstr("ftz cannot be 'yes': expected 1, 0, true or false"));
  EXPECT_THAT(refused("-lto -arch"), HasSubstr("arch has no value after '-arch'"));
  EXPECT_THAT(refusal([] { (void)parse_program_options("-I '' -G"); }),
              HasSubstr("include_folders has an empty value after '-I'"));
}

// Any text is an OptionError, or options whose own text is the same options.
TEST(OptionText, AnyTextIsReadOrRefused) {
  const char* const kPieces[] = {
      "-arch=", "-O", "-lto", "-ftz=",    "1",    "0", "true", "sm_90", "--", "\"", "'",  "\\",
      " ",      " ",  "\n",   "-Xptxas=", "-ptx", "-", "=",    "-v",    "\t", "-I", "-D", "-std="};
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (unsigned count = random() % 8; count > 0; --count) {
      text += kPieces[random() % std::size(kPieces)];
    }
    std::string program;
    std::string link;
    try {
      program = to_text(parse_program_options(text));
      link = to_text(parse_options(text));
      ++read;
    } catch (const OptionError& error) {
      EXPECT_STRNE(error.what(), "");
    }
    EXPECT_EQ(to_text(parse_program_options(program)), program) << text;
    EXPECT_EQ(to_text(parse_options(link)), link) << text;
  }
  EXPECT_GT(read, 1000);
}

// What has no text is not lost without a word.
TEST(OptionText, OptionsWithoutATextAreRefused) {
  Options options;
  options.cache_mode = CacheMode::none;
  EXPECT_THAT(refusal([&] { (void)to_text(options); }), HasSubstr("cache_mode has no text"));
  options = {};
  options.output = Output::lto_ir;
  EXPECT_THAT(refusal([&] { (void)to_text(options); }), HasSubstr("output: "));
  options = {};
  options.backend = Backend::driver;
  options.rule = Rule::same_major;
  EXPECT_EQ(to_text(options), "");
}

TEST(OptionText, NvrtcsOtherOptionsAreKept) {
  const ProgramOptions options =
      parse_program_options("--device-int128 -arch=sm_80 --diag-suppress=177 --time -");
  EXPECT_THAT(options.others, ElementsAre("--device-int128", "--diag-suppress=177", "--time", "-"));
  EXPECT_EQ(to_text(options), "-arch=sm_80 --device-int128 --diag-suppress=177 --time -");
}

TEST(OptionText, OlderLibraryIsNamedWithBothVersions) {
  ProgramOptions options;
  options.minimal = true;
  EXPECT_THAT(
      refusal([&] {
        check_versions(program_option_table(), options, "NVRTC", {12, 3});
      }),
      HasSubstr("the option minimal needs NVRTC 12.4 or later; this is 12.3: install a newer one"));
  EXPECT_EQ(refusal([&] {
              check_versions(program_option_table(), options, "NVRTC", {12, 4});
            }),
            "no error");
}

}  // namespace
