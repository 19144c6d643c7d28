// SPDX-License-Identifier: Apache-2.0

// Every option in each backend's words.
#include "linker/backends/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/cuda_api.h"
#include "device_code/rules/lto_ir.h"
#include "linker/inputs/detect_type.h"

using namespace anycuda::linker;
namespace api = anycuda::api;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

constexpr Version kNewest{13, 5};

using Set = void (*)(Options*);

std::vector<std::string> words_of(Set set, Version version = kNewest) {
  Options options;
  set(&options);
  return nvjitlink_options(options, version);
}

template <typename Translate>
std::string refused(Translate translate, std::string* what = nullptr) {
  try {
    translate();
  } catch (const UnsupportedOptionError& error) {
    if (what != nullptr) *what = error.what();
    return error.option();
  }
  return "";
}

TEST(NvJitLinkOptions, NoOptions_IsEmpty) {
  EXPECT_THAT(words_of([](Options*) {}), IsEmpty());
  EXPECT_THAT(words_of([](Options* o) {
                o->lto = o->debug = o->line_info = o->verbose = o->time = o->incremental = false;
                o->optimize_unused_variables = o->no_cache = false;
              }),
              IsEmpty());
}

TEST(NvJitLinkOptions, EachHasItsText) {
  EXPECT_THAT(words_of([](Options* o) {
                o->arch = "compute_80";
                o->lto = true;
                o->output = Output::ptx;
              }),
              ElementsAre("-arch=compute_80", "-lto", "-ptx"));
  EXPECT_THAT(words_of([](Options* o) {
                o->incremental = o->debug = o->line_info = o->verbose = o->time = o->no_cache =
                    true;
                o->optimization_level = 0;
                o->max_registers = 32;
              }),
              ElementsAre("-r", "-O0", "-g", "-lineinfo", "-verbose", "-time", "-maxrregcount=32",
                          "-no-cache"));
  EXPECT_THAT(
      words_of([](Options* o) {
        o->split_compile = 0;
        o->split_compile_extended = 4;
        o->jump_table_density = 101;
      }),
      ElementsAre("-split-compile=0", "-split-compile-extended=4", "-jump-table-density=101"));
}

TEST(NvJitLinkOptions, FalseIsFalse) {
  EXPECT_THAT(words_of([](Options* o) { o->ftz = o->prec_div = o->prec_sqrt = o->fma = false; }),
              ElementsAre("-ftz=0", "-prec-div=0", "-prec-sqrt=0", "-fma=0"));
  EXPECT_THAT(words_of([](Options* o) { o->ftz = o->prec_div = o->prec_sqrt = o->fma = true; }),
              ElementsAre("-ftz=1", "-prec-div=1", "-prec-sqrt=1", "-fma=1"));
}

TEST(NvJitLinkOptions, ListsPassEveryElement) {
  EXPECT_THAT(words_of([](Options* o) {
                o->kernels_used = {"a", "b"};
                o->variables_used = {"c", "d"};
                o->optimize_unused_variables = true;
                o->ptxas_options = {"-v", "-O1"};
                o->nvvm_options = {"-opt=1", "-g"};
              }),
              ElementsAre("-kernels-used=a", "-kernels-used=b", "-variables-used=c",
                          "-variables-used=d", "-optimize-unused-variables", "-Xptxas=-v",
                          "-Xptxas=-O1", "-Xnvvm=-opt=1", "-Xnvvm=-g"));
}

struct Needs {
  const char* option;
  Version least;
  Version before;
  Set set;
};

TEST(NvJitLinkOptions, AnOlderLibraryIsAnErrorWithBothVersions) {
  const Needs kNeeds[] = {
      {"no_cache", {12, 5}, {12, 4}, [](Options* o) { o->no_cache = true; }},
      {"incremental", {13, 2}, {13, 1}, [](Options* o) { o->incremental = true; }},
      {"incremental", {13, 2}, {12, 9}, [](Options* o) { o->incremental = true; }},
      {"output", {13, 3}, {13, 2}, [](Options* o) {
         o->lto = true;
         o->output = Output::lto_ir;
       }}};
  for (const Needs& needs : kNeeds) {
    EXPECT_THAT(words_of(needs.set, needs.least), testing::Not(IsEmpty())) << needs.option;
    std::string what;
    EXPECT_EQ(refused([&] { words_of(needs.set, needs.before); }, &what), needs.option);
    const auto text = [](Version v) {
      return std::to_string(v.major) + "." + std::to_string(v.minor);
    };
    EXPECT_THAT(what, HasSubstr("needs nvJitLink " + text(needs.least)));
    EXPECT_THAT(what, HasSubstr("this is " + text(needs.before)));
  }
}

TEST(NvJitLinkOptions, MissingOptionsAreRefusedByName) {
  EXPECT_EQ(refused([] { words_of([](Options* o) { o->cache_mode = CacheMode::none; }); }),
            "cache_mode");
  EXPECT_EQ(refused([] { words_of([](Options* o) { o->optimization_level = 2; }); }),
            "optimization_level");
}

DriverOptions driver_words(Set set, bool with_nvvm = false) {
  Options options;
  set(&options);
  return driver_options(options, with_nvvm);
}

TEST(DriverOptions, NoOptions_IsEmpty) {
  const DriverOptions out =
      driver_words([](Options* o) { o->debug = o->line_info = o->no_cache = false; });
  EXPECT_THAT(out.options, IsEmpty());
  EXPECT_THAT(out.warnings, IsEmpty());
}

TEST(DriverOptions, EachHasItsKey) {
  const DriverOptions out = driver_words([](Options* o) {
    o->arch = "sm_80";
    o->max_registers = 32;
    o->optimization_level = 0;
    o->debug = o->line_info = o->verbose = true;
    o->cache_mode = CacheMode::l1_and_l2;
  });
  const std::vector<std::pair<unsigned, std::uintptr_t>> expected = {
      {api::CU_JIT_TARGET, 80},
      {api::CU_JIT_MAX_REGISTERS, 32},
      {api::CU_JIT_OPTIMIZATION_LEVEL, 0},
      {api::CU_JIT_GENERATE_DEBUG_INFO, 1},
      {api::CU_JIT_GENERATE_LINE_INFO, 1},
      {api::CU_JIT_LOG_VERBOSE, 1},
      {api::CU_JIT_CACHE_MODE, 2}};
  ASSERT_THAT(out.options, SizeIs(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(out.options[i].key, expected[i].first) << out.options[i].name;
    EXPECT_EQ(out.options[i].value, expected[i].second) << out.options[i].name;
  }
  EXPECT_THAT(out.warnings, IsEmpty());
}

// CUjit_target: 0x10000 + 90 is the accelerated sm_90a, 0x20000 + 100 the family's sm_100f.
TEST(DriverOptions, ArchitecturesOfAKind) {
  EXPECT_EQ(driver_words([](Options* o) { o->arch = "sm_90a"; }).options.at(0).value, 0x1005au);
  EXPECT_EQ(driver_words([](Options* o) { o->arch = "sm_100f"; }).options.at(0).value, 0x20064u);
}

TEST(DriverOptions, MissingOptionsAreRefusedByName) {
  const std::pair<const char*, Set> kRefused[] = {
      {"time", [](Options* o) { o->time = true; }},
      {"lto", [](Options* o) { o->lto = true; }},
      {"output", [](Options* o) { o->output = Output::ptx; }},
      {"incremental", [](Options* o) { o->incremental = true; }},
      {"ptxas_options", [](Options* o) { o->ptxas_options = {"-v"}; }},
      {"nvvm_options", [](Options* o) { o->nvvm_options = {"-g"}; }},
      {"split_compile", [](Options* o) { o->split_compile = 1; }},
      {"split_compile_extended", [](Options* o) { o->split_compile_extended = 1; }},
      {"jump_table_density", [](Options* o) { o->jump_table_density = 1; }}};
  for (const auto& [name, set] : kRefused) {
    std::string what;
    EXPECT_EQ(refused([set = set] { driver_words(set); }, &what), name);
    EXPECT_THAT(what, HasSubstr(std::string("the option ") + name));
  }
  EXPECT_THAT(driver_words([](Options* o) { o->lto = true; }, true).options, SizeIs(1));
}

TEST(DriverOptions, IgnoredOptionsAreReported) {
  const DriverOptions out = driver_words([](Options* o) {
    o->ftz = o->prec_div = o->prec_sqrt = o->fma = false;
    o->kernels_used = o->variables_used = {"a"};
    o->optimize_unused_variables = o->no_cache = true;
  });
  EXPECT_THAT(out.options, IsEmpty());
  EXPECT_THAT(out.warnings, SizeIs(8));
  for (const char* name : {"ftz", "prec_div", "prec_sqrt", "fma", "kernels_used", "variables_used",
                           "optimize_unused_variables", "no_cache"}) {
    EXPECT_THAT(out.warnings, testing::Contains(HasSubstr(std::string("ignores ") + name + ":")));
  }
}

Item item_of(InputType type) { return {Input::bytes(type, "x", "it"), type, "it"}; }

TEST(InputTypes, EachBackendKnowsItsOwn) {
  using Numbers = std::vector<int>;
  Numbers nvjitlink;
  Numbers driver;
  for (int i = 1; i <= static_cast<int>(InputType::nvvm); ++i) {
    const Item item = item_of(static_cast<InputType>(i));
    const auto number = [](auto ask) {
      try {
        return static_cast<int>(ask());
      } catch (const InputError& error) {
        EXPECT_EQ(error.name(), "it");
        return -1;
      }
    };
    nvjitlink.push_back(number([&] { return nvjitlink_type(item, kNewest); }));
    driver.push_back(number([&] { return driver_type(item); }));
  }
  // ptx, cubin, fatbin, object, library, lto_ir, index, nvvm
  EXPECT_EQ(nvjitlink, (Numbers{2, 1, 4, 5, 6, 3, 7, -1}));
  EXPECT_EQ(driver, (Numbers{1, 0, 2, 3, 4, -1, -1, 5}));
  EXPECT_THROW(nvjitlink_type(item_of(InputType::index), {12, 5}), InputError);
}

// The end of the farther of the two tables; a number that wraps around is beyond every file.
TEST(Recognise, HowLongAnElfIsAtLeast) {
  std::string elf(
      "\x7f"
      "ELF\2\1\1",
      7);
  EXPECT_EQ(least_size(elf), 64u);
  elf.resize(64);
  elf[40] = 100;  // the sections
  elf[58] = 64;
  elf[60] = 3;
  EXPECT_EQ(least_size(elf), 100u + 64 * 3);
  elf[33] = 2;  // the segments
  elf[54] = 56;
  elf[56] = 1;
  EXPECT_EQ(least_size(elf), 512u + 56);
  for (int i = 40; i < 48; ++i) elf[i] = '\xff';
  EXPECT_EQ(least_size(elf), ~std::uint64_t{0});
  EXPECT_EQ(least_size(".version 7.0"), 0u);
}

TEST(Recognise, ByHowItBegins) {
  std::string elf = std::string(
                        "\x7f"
                        "ELF\2\1\1",
                        7) +
                    std::string(57, '\0');
  EXPECT_EQ(detect_type(elf), InputType::object);
  elf[18] = '\xbe';
  EXPECT_EQ(detect_type(elf), InputType::cubin);
  elf[19] = '\1';
  EXPECT_EQ(detect_type(elf), InputType::object);
  EXPECT_EQ(detect_type(elf.substr(0, 18)), InputType::object);
  EXPECT_EQ(detect_type("!<arch>\nx"), InputType::library);
  EXPECT_EQ(detect_type("!<thin>\nx"), InputType::library);
  EXPECT_EQ(detect_type("\x50\xed\x55\xba more"), InputType::fatbin);
  EXPECT_EQ(detect_type("\xed\x43\x4e\x7f more"), InputType::lto_ir);
  EXPECT_EQ(detect_type("\n//\n// x\n/* y\n */\r\n\t.version 7.0"), InputType::ptx);
  for (const char* none : {"", " ", "//", "// .version 7.0", "/* .version", "/*/ .version",
                           "version", "ELF", "!<arch>"}) {
    EXPECT_EQ(detect_type(none), std::nullopt) << none;
  }
}

}  // namespace
