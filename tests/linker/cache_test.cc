// SPDX-License-Identifier: Apache-2.0

// The cache's decisions: the bytes of an entry, the folder, and what is cacheable. Pure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "linker/cache/cache_folder.h"
#include "linker/cache/cacheable.h"
#include "linker/cache/record.h"

using namespace anycuda::linker;

namespace {

const Fields kValue = {"code", "", std::string("a\0b", 3)};

TEST(CacheRecord, IsReadAsItWasWritten) {
  for (const Fields& value : {Fields{}, Fields{""}, kValue}) {
    const Entry entry = read_entry(entry_of("key", value), "key");
    EXPECT_FALSE(entry.damaged);
    ASSERT_TRUE(entry.value);
    EXPECT_EQ(*entry.value, value);
  }
}

TEST(CacheRecord, ListsOfTextsHaveDifferentBytes) {
  EXPECT_NE(encode({"ab", "c"}), encode({"a", "bc"}));
  EXPECT_NE(encode({"a"}), encode({"a", ""}));
  EXPECT_NE(encode({}), encode({""}));
}

// Two keys may have the same hash.
TEST(CacheRecord, AnotherKeyHasNoValue) {
  const Entry entry = read_entry(entry_of("key", kValue), "another");
  EXPECT_FALSE(entry.damaged);
  EXPECT_FALSE(entry.value);
}

TEST(CacheRecord, EveryChangedBitIsDamage) {
  const std::string good = entry_of("key", kValue);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      EXPECT_TRUE(read_entry(bad, "key").damaged) << "bit " << bit << " of byte " << i;
    }
  }
}

TEST(CacheRecord, EveryOtherLengthIsDamage) {
  const std::string good = entry_of("key", kValue);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(read_entry(good.substr(0, size), "key").damaged) << size;
  }
  EXPECT_TRUE(read_entry(good + '\0', "key").damaged);
  EXPECT_TRUE(read_entry(good + good, "key").damaged);
  EXPECT_TRUE(read_entry(std::string(100, '\0'), "key").damaged);
}

// The lengths of texts are checked although the checksum is right.
TEST(CacheRecord, LengthsBeyondTheEndAreDamage) {
  const std::string good = entry_of("key", {"code"});
  const std::size_t start = good.size() - 8 - 4 - 8 - 3;
  for (const std::size_t at : {start, start + 8 + 3}) {
    for (const int length : {5, 12, 255}) {
      std::string content = good.substr(start);
      content[at - start] = static_cast<char>(length);
      content[at - start + 7] = length == 255 ? '\xff' : '\0';
      std::string bad = good.substr(0, start - 8);
      for (int i = 0; i < 8; ++i) bad += static_cast<char>(hash_of(content) >> (8 * i));
      EXPECT_TRUE(read_entry(bad + content, "key").damaged) << at << " " << length;
    }
  }
}

// Test vectors of the draft.
TEST(CacheRecord, TheHashIsFnv1a) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8);
}

TEST(CacheFolder, IsOfTheProgramThenTheVariableThenTheUser) {
  const auto path = [](const char* given, CacheVariables variables) {
    return choose_folder(given, variables).path;
  };
  EXPECT_EQ(path("/given", {"/variable", "/xdg", "/home"}), "/given");
  EXPECT_EQ(path("", {"/variable", "/xdg", "/home"}), "/variable");
  EXPECT_EQ(path("", {nullptr, "/xdg", "/home"}), "/xdg/anycuda/code");
  EXPECT_EQ(path("", {nullptr, "relative", "/home"}), "/home/.cache/anycuda/code");
  EXPECT_EQ(path("", {nullptr, nullptr, "/home"}), "/home/.cache/anycuda/code");
}

TEST(CacheFolder, OffInvalidAndNoHome_SwitchTheCacheOff) {
  for (const char* given : {"", "/given"}) {
    const CacheFolder off = choose_folder(given, {"off", "/xdg", "/home"});
    EXPECT_EQ(off.path, "");
    EXPECT_EQ(off.problem, Problem::switched_off);
    for (const char* wrong : {"OFF", "no", "0", "folder", "./folder", " off"}) {
      const CacheFolder folder = choose_folder(given, {wrong, "/xdg", "/home"});
      EXPECT_EQ(folder.path, "") << wrong;
      EXPECT_EQ(folder.problem, Problem::wrong_variable) << wrong;
    }
  }
  EXPECT_EQ(choose_folder("", {nullptr, nullptr, "home"}).problem, Problem::no_folder);
  EXPECT_EQ(choose_folder("", {}).problem, Problem::no_folder);
}

Problem of_source(const std::string& text, bool files_known = false,
                  std::vector<Header> headers = {{"x.h", "int x;"}, {"h/y.h", ""}}) {
  return why_uncacheable({text, "a.cu", std::move(headers), {}}, {"-arch=sm_80"}, files_known);
}

TEST(Cacheable, SourceThatIncludesHeadersInMemory) {
  for (const char* text :
       {"int a;", "#include \"x.h\"", "#include <x.h>\n#include <h/y.h>",
        "# /* a */ include/**/ <x.h>", "%:include \"x.h\"", "#inc\\\nlude \"x.h\"",
        "#include_next <x.h>", "#define include 1", "#pragma once",
        "a % b; // include \"z.h\" is not here", "#warning include it"}) {
    EXPECT_EQ(of_source(text), Problem::none) << text;
  }
}

TEST(Cacheable, SourceThatMayReadAFile) {
  for (const char* text : {"#include \"z.h\"",
                           "#include <z.h>",
                           "#include <y.h>",
                           "#include </x.h>",
                           "#include \"/x.h\"",
                           "#include MACRO",
                           "#include",
                           "#include \"x.h",
                           "# include <z.h>",
                           "#/* a\n */include <z.h>",
                           "%:include <z.h>",
                           "?\?=include <z.h>",
                           "#inc\\\nlude <z.h>",
                           "#inc\\ \r\nlude <z.h>",
                           "#inc?\?/\nlude <z.h>",
                           "#include_next <z.h>",
                           "#import <x.h>",
                           "#embed \"x.h\"",
                           "#if __has_include(<x.h>)\n#endif",
                           "#if __has_embed(<x.h>)\n#endif",
                           "#ifdef A\n#include <z.h>\n#endif",
                           "#include \"x.h\"\n#include \"z.h\"",
                           "#define A #\n#include A"}) {
    EXPECT_EQ(of_source(text), Problem::reads_files) << text;
    EXPECT_EQ(of_source(text, true), Problem::none) << text;
  }
  EXPECT_EQ(of_source("#include <x.h>", false, {{"x.h", "#include \"z.h\""}}),
            Problem::reads_files);
  // Of a header in a folder, "x.h" is first a file of that folder; an exact name is in memory.
  EXPECT_EQ(of_source("#include <h/y.h>", false, {{"h/y.h", "#include \"x.h\""}, {"h/x.h", ""}}),
            Problem::reads_files);
}

TEST(Cacheable, TimeIsNotCached) {
  for (const char* text : {"__DATE__", "f(__TIME__)", "__TIMESTAMP__"}) {
    EXPECT_EQ(of_source(text, true), Problem::time_macro) << text;
    EXPECT_EQ(of_source("", false, {{"x.h", text}}), Problem::time_macro) << text;
  }
}

TEST(Cacheable, Options) {
  const auto of = [](const std::vector<std::string>& options, bool files_known) {
    return why_uncacheable({"int a;", "a.cu", {}, {}}, options, files_known);
  };
  const std::vector<std::string> pure = {"-arch=sm_80",
                                         "--gpu-architecture",
                                         "compute_80",
                                         "-DN=4",
                                         "-D",
                                         "N=4",
                                         "-UN",
                                         "-std=c++17",
                                         "-use_fast_math",
                                         "--use_fast_math",
                                         "-Xptxas",
                                         "-v",
                                         "--ptxas-options=-O1",
                                         "-G",
                                         "-dlto"};
  EXPECT_EQ(of(pure, false), Problem::none);
  for (const char* option :
       {"-I/folder", "-I", "--include-path=a", "-include=a", "--pre-include=a"}) {
    EXPECT_EQ(of({option}, false), Problem::reads_files) << option;
    EXPECT_EQ(of({option}, true), Problem::none) << option;
  }
  for (const char* option :
       {"--pch", "-pch", "--create-pch=a", "--use-pch=a", "--pch-dir=a", "-time=a", "--time=a",
        "--fdevice-time-trace=a", "-Xptxas=-optf=a", "--ptxas-options=--options-file=a", "@file",
        "-o=a", "-new-option", "", "-", "-DT=__TIME__"}) {
    EXPECT_NE(of({option}, true), Problem::none) << option;
  }
  EXPECT_TRUE(has_working_folder({"-arch=sm_80", "-G"}));
  EXPECT_TRUE(has_working_folder({"--generate-line-info"}));
  EXPECT_FALSE(has_working_folder({"-arch=sm_80", "-DG", "G"}));
}

TEST(Cacheable, EveryProblemHasASentence) {
  for (auto problem = Problem::switched_off; problem <= Problem::write_entry;
       problem = static_cast<Problem>(static_cast<int>(problem) + 1)) {
    EXPECT_GT(describe(problem).size(), 20U) << static_cast<int>(problem);
  }
  EXPECT_EQ(describe(Problem::none), "");
  EXPECT_THAT(describe(Problem::write_entry, 28), testing::HasSubstr("No space left"));
}

}  // namespace
