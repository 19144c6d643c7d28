// SPDX-License-Identifier: Apache-2.0

// The contents of an input, and what a link would lose of them: on made files with faults, and on
// real ones, truncated and overwritten.
#include "linker/inputs/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "linker/inputs/check.h"
#include "linker/inputs/definitions.h"
#include "linker/inputs/releases.h"

using namespace anycuda::linker;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const std::string kPtx = ".version 7.0\n.target sm_80\n.address_size 64\n";

std::string problem(const std::string& bytes, InputType type, Target target = {}) {
  return contents_of(bytes, type, target).problem;
}

TEST(Contents, PtxBehindAZeroByteIsRefused) {
  const std::string zero(1, '\0');
  EXPECT_EQ(problem(kPtx, InputType::ptx), "");
  EXPECT_EQ(problem(kPtx + zero, InputType::ptx), "");
  EXPECT_EQ(problem(kPtx + std::string(9, '\0'), InputType::ptx), "");
  const std::string at = std::to_string(kPtx.size());
  EXPECT_THAT(problem(kPtx + zero + kPtx, InputType::ptx),
              HasSubstr("has " + std::to_string(kPtx.size() + 1) +
                        " bytes after its text, from byte " + at + " on"));
  EXPECT_THAT(problem(kPtx + zero + zero + "x", InputType::ptx), HasSubstr("give each module"));
}

// A conversion to std::string would end at the first zero byte.
TEST(Contents, AnArrayIsTakenWhole) {
  EXPECT_EQ(Input::bytes(InputType::ptx, "text").content(), "text");
  EXPECT_EQ(Input::bytes(InputType::ptx, "").content(), "");
  EXPECT_EQ(Input::bytes(InputType::ptx, "one\0two").content(), std::string("one\0two\0", 8));
  const char elf[] = {'\x7f', 'E', 'L', 'F', 0, 1, 0, 0};
  EXPECT_EQ(Input::bytes(InputType::cubin, elf, "it").content().size(), sizeof elf);
  std::vector<Item> items = checked(
      {Input::bytes(InputType::ptx, ".version 7.0\n.target sm_80\n\0.version 7.0\n", "it")});
  EXPECT_THROW(look_into(&items, {}, ""), InputError);
}

void put(std::string* bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  bytes->resize(std::max(bytes->size(), at + size));
  std::memcpy(bytes->data() + at, &value, size);
}

// An entry of a fatbin: its kind, architecture and content.
std::string entry(unsigned kind, unsigned architecture, const std::string& content) {
  std::string bytes;
  put(&bytes, 0, kind, 2);
  put(&bytes, 4, 64, 4);
  put(&bytes, 8, content.size(), 8);
  put(&bytes, 24, 0x00010041, 4);
  put(&bytes, 28, architecture, 4);
  bytes.resize(64);
  return bytes + content;
}

std::string fatbin(const std::string& entries) {
  std::string bytes("\x50\xed\x55\xba\1\0\x10\0", 8);
  put(&bytes, 8, entries.size(), 8);
  return bytes + entries;
}

constexpr unsigned kPtxEntry = 1, kCubinEntry = 2, kLtoEntry = 8;

std::string cubin(unsigned type) {
  std::string elf(
      "\x7f"
      "ELF\2\1\1",
      7);
  elf.resize(64);
  put(&elf, 16, type, 2);
  put(&elf, 18, 190, 2);
  return elf;
}

TEST(Contents, FormsAreForATarget) {
  const std::string both = fatbin(entry(kLtoEntry, 90, "ir") + entry(kCubinEntry, 80, cubin(1)));
  const auto of = [&both](unsigned architecture) {
    return contents_of(both, InputType::fatbin, {architecture, false});
  };
  EXPECT_TRUE(of(0).lto_ir && of(0).lto_ir_only.empty() && of(0).without_lto_ir.empty());
  EXPECT_TRUE(!of(80).lto_ir && of(80).without_lto_ir == "it");
  EXPECT_TRUE(of(90).lto_ir && of(90).lto_ir_only == "it");
  EXPECT_EQ(of(90).made_by.major, 13);
  EXPECT_EQ(of(90).newest, "LTO-IR");
}

TEST(Contents, AFinalCubinIsRefusedWhereItWouldBeTaken) {
  const std::string final = fatbin(entry(kCubinEntry, 80, cubin(2)) + entry(kPtxEntry, 80, kPtx));
  EXPECT_THAT(problem(final, InputType::fatbin, {86, false}), HasSubstr("-rdc=true"));
  EXPECT_EQ(problem(final, InputType::fatbin, {90, false}), "");  // the PTX is
  EXPECT_THAT(problem(cubin(2), InputType::cubin), HasSubstr("whole program"));
}

TEST(Contents, TrailingDataIsRefused) {
  const std::string one = fatbin(entry(kPtxEntry, 80, kPtx));
  EXPECT_EQ(problem(one, InputType::fatbin), "");
  EXPECT_EQ(problem(one + std::string(8, '\0'), InputType::fatbin), "");
  EXPECT_THAT(problem(one + one, InputType::fatbin),
              HasSubstr("after the fatbin, from byte " + std::to_string(one.size()) + " on"));
  EXPECT_THAT(problem(fatbin(entry(kPtxEntry, 80, kPtx) + "rest"), InputType::fatbin),
              HasSubstr("damaged fatbin"));
  EXPECT_THAT(problem("\xed\x43\x4e\x7f" + std::string(40, '\0'), InputType::lto_ir),
              HasSubstr("40 zero bytes at its end"));
}

TEST(Contents, ASecondLtoIrModuleIsRefused) {
  const std::string magic = "\xed\x43\x4e\x7f";
  const std::string header = magic +
                             std::string("\x01\x40\x02\x5d\x03\x02\x07\x00\x18\x00\x01\x00", 12) +
                             std::string("\x28\x00\x00\x00\x2c\x00\x00\x00", 8);
  const std::string module = header + std::string(100, 'c');
  EXPECT_EQ(problem(module, InputType::lto_ir), "");
  EXPECT_EQ(problem(module + magic + std::string(40, 'c'), InputType::lto_ir), "");  // by chance
  EXPECT_EQ(problem(module + magic, InputType::lto_ir), "");
  EXPECT_EQ(problem(magic + "c", InputType::lto_ir), "");
  EXPECT_EQ(problem(std::string(100, 'c'), InputType::lto_ir), "");  // no LTO-IR at all
  for (const std::size_t zeros : {0, 1, 8}) {
    EXPECT_THAT(problem(module + std::string(zeros, '\0') + module, InputType::lto_ir),
                HasSubstr("has a second LTO-IR module, from byte " +
                          std::to_string(module.size() + zeros) + " on"));
  }
  EXPECT_THAT(problem(module + magic + "cc" + module, InputType::lto_ir), HasSubstr("byte 130 on"));
}

TEST(Contents, AnArchiveIsReadToItsEnd) {
  const std::string none = "!<arch>\n";
  EXPECT_EQ(problem(none, InputType::library), "");
  EXPECT_THAT(contents_of(none, InputType::library, {}).warning, HasSubstr("no device code"));
  EXPECT_THAT(problem(none + '\0', InputType::library),
              HasSubstr("no member begins at byte 8 of 9"));
  std::vector<Item> thin = checked({Input::bytes(InputType::any, "!<thin>\n", "it")});
  EXPECT_THROW(look_into(&thin, {}, ""), InputError);
}

TEST(Contents, DefinitionsOfPtx) {
  const std::string text =
      kPtx +
      "// .visible .entry no();\n/* .visible .entry no() {} */\n.file 1 \"a;{.visible\"\n"
      ".extern .func (.param .b32 r) other(.param .b32 p);\n"
      ".visible .func (.param .b32 r) later(.param .b32 p);\n"
      ".visible .global .align 4 .u32 number = 7;\n"
      ".visible .const .align 8 .b8 table[16] = {1, 2};\n"
      ".visible .global .attribute(.managed) .align 4 .u32 managed;\n"
      ".weak .func shared() { ret; }\n.func own() { ret; }\n"
      ".visible .entry kernel(.param .u64 p)\n.maxntid 32, 1, 1\n{ { .reg .b32 x; } ret; }\n"
      ".visible .func (.param .b32 r) function(.param .b32 p)\n{ ret; }\n";
  EXPECT_THAT(definitions_of(text, InputType::ptx),
              ElementsAre("function", "kernel", "managed", "number", "table"));
  EXPECT_THAT(definitions_of("}}} .visible ( ( ; .visible { \"", InputType::ptx), IsEmpty());
  EXPECT_THAT(definitions_of(std::string(1 << 20, '('), InputType::ptx), IsEmpty());
}

TEST(Contents, ReleasesOfFormats) {
  const auto is = [](Version got, int major, int minor) {
    return got.major == major && got.minor == minor;
  };
  EXPECT_TRUE(is(cuda_of_ptx({8, 3}), 12, 3) && is(cuda_of_ptx({8, 8}), 12, 9));
  EXPECT_TRUE(is(cuda_of_ptx({9, 0}), 13, 0) && is(cuda_of_ptx({9, 5}), 13, 5));
  EXPECT_TRUE(is(cuda_of_ptx({7, 8}), 11, 8) && is(cuda_of_ptx({9, 9}), 13, 6));
  EXPECT_TRUE(is(cuda_of_lto_ir({1, 0x3d}), 12, 4) && is(cuda_of_lto_ir({1, 0x50}), 13, 3));
  EXPECT_FALSE(cuda_of_lto_ir({1, 0x30}).known());
}

// Nothing crashes, hangs or takes memory, whatever the bytes say.
TEST(Contents, AnyBytesAreRead) {
  std::mt19937 random(1);
  std::vector<std::pair<InputType, std::string>> seeds = {
      {InputType::ptx, kPtx + ".visible .entry a() { ret; }"},
      {InputType::cubin, cubin(1)},
      {InputType::fatbin, fatbin(entry(kPtxEntry, 80, kPtx) + entry(kLtoEntry, 80, "ir"))}};
  const std::pair<InputType, const char*> kReal[] = {{InputType::object, "second.o"},
                                                     {InputType::library, "first+second.a"},
                                                     {InputType::fatbin, "second.both.fatbin"}};
  for (const auto& [type, file] : kReal) {
    std::ifstream stream(std::string(LINKER_INPUTS "/forms-12.4/") + file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!bytes.empty()) seeds.emplace_back(type, std::move(bytes));  // else built without nvcc
  }
  int problems = 0;
  for (const auto& [type, seed] : seeds) {
    for (int i = 0; i < 400; ++i) {
      std::string bytes = seed.substr(0, i % 3 == 0 ? random() % seed.size() : seed.size());
      for (unsigned flips = random() % 8; flips > 0 && !bytes.empty(); --flips) {
        bytes[random() % bytes.size()] = static_cast<char>(i % 2 == 0 ? 0xff : random());
      }
      problems += contents_of(bytes, type, {80, true}).problem.empty() ? 0 : 1;
      contents_of(bytes, InputType::object, {});
      definitions_of(bytes, type);
      defined_twice(bytes);
    }
  }
  EXPECT_GT(problems, 300);
}

}  // namespace
