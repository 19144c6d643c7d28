// SPDX-License-Identifier: Apache-2.0

// Symbols of a file on disk: which exist, and which release of the library they show.
#include <gtest/gtest.h>

#include "compat/base/gnu_hash.h"
#include "tests/compat/search/read_image_of.h"
#include "tests/support/case_names.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/test_tables.h"

namespace anycuda {
namespace {

using unit::ElfImage;
using unit::facts_of;
using unit::Hash;

class ByHash : public testing::TestWithParam<Hash> {};
INSTANTIATE_TEST_SUITE_P(Tables, ByHash, testing::Values(Hash::sysv, Hash::gnu, Hash::both),
                         test::kPrintedName);

TEST_P(ByHash, TheCoreSymbolIsFound) {
  ElfImage image;
  image.hash = GetParam();
  image.exports = {"other", "testCore", "testMajor"};
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::usable);
}

TEST_P(ByHash, AMissingCoreSymbolIsNamed) {
  ElfImage image;
  image.hash = GetParam();
  image.exports = {"other", "testMajor"};
  const ImageFacts facts = facts_of(image.bytes());
  EXPECT_EQ(facts.state, FileState::required_symbol_missing);
  EXPECT_STREQ(facts.detail, "testCore");
}

TEST_P(ByHash, ImportIsNotAnExport) {
  ElfImage image;
  image.hash = GetParam();
  image.imports = {"testCore"};
  image.exports = {"other"};
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::required_symbol_missing);
}

TEST(ImageSymbols, NewerMajorMustHaveTheNewestKnownCore) {
  ElfImage image;
  image.soname = "libtest.so.14";
  image.symbol_versions = {"libtest.so.14"};
  image.exports = {"other"};
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::required_symbol_missing);
}

TEST(ImageSymbols, WithoutAHashTableNoSymbolIsThere) {
  ElfImage image;
  image.hash = Hash::none;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::required_symbol_missing);
}

TEST(ImageSymbols, WithoutExportsNoSymbolIsThere) {
  ElfImage image;
  image.exports.clear();
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::required_symbol_missing);
}

TEST(ImageSymbols, AnAbsurdNumberOfSymbolsIsNotRead) {
  ElfImage image;
  image.hash = Hash::sysv;
  image.lies.hash_symbols = 0x7fffffff;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::not_elf);
}

TEST(ImageSymbols, MoreSymbolsThanTheFileHoldsIsATruncation) {
  ElfImage image;
  image.hash = Hash::sysv;
  image.lies.hash_symbols = 100000;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::truncated);
}

TEST(ImageSymbols, AHashChainThatLeavesTheFileEndsNowhere) {
  ElfImage image;
  image.lies.gnu_bucket = 0x7fffffff;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::required_symbol_missing);
}

TEST(ImageSymbols, ASymbolTableOutsideTheFileIsATruncation) {
  ElfImage image;
  image.lies.symbol_table = 1 << 30;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::truncated);
}

TEST(ImageSymbols, AnUnterminatedLastNameEndsWithTheTable) {
  for (std::size_t length = 1; length <= 16; ++length) {  // the table's size counts
    ElfImage image;
    image.exports = {"testAdded", std::string(length, 'x'), "testCore"};
    image.lies.open_strings = true;
    EXPECT_EQ(facts_of(image.bytes()).state, FileState::usable) << length;
  }
}

TEST(ImageSymbols, EndlessVersionDefinitionsEnd) {
  ElfImage image;
  image.soname = "libother.so";
  image.lies.version_count = 0x7fffffff;
  image.lies.version_next = 0xfffffff0;  // forward out of the file
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::other_library);
  image.lies.version_next = 32;  // the last one runs on into what follows
  EXPECT_EQ(facts_of(image.bytes()).version.major, 12);
}

// ---- the version that the names show

int minor_shown(const char* soname, std::vector<std::string> exports) {
  ElfImage image;
  image.soname = soname;
  image.symbol_versions = {soname};
  image.exports = std::move(exports);
  return facts_of(image.bytes()).version.minor;
}

// Every name that a release of 12 before 12.2 exports.
std::vector<std::string> names_of_12_0() {
  std::vector<std::string> names;
  for (int i = 0; i < unit::kSymbolCount; ++i) {
    if (i != unit::kAdded && i != unit::kNew) names.emplace_back(kTables.symbol_name(i));
  }
  return names;
}

TEST(ImageVersion, MinorIsThatOfItsNewestNames) {
  std::vector<std::string> names = names_of_12_0();
  EXPECT_EQ(minor_shown("libtest.so.12", names), 0);
  names.emplace_back("testAdded");
  EXPECT_EQ(minor_shown("libtest.so.12", names), 2);
}

TEST(ImageVersion, MissingOldNameLimitsTheMinor) {
  std::vector<std::string> names = names_of_12_0();
  names.emplace_back("testAdded");
  names.erase(std::find(names.begin(), names.end(), "testQuery"));
  EXPECT_EQ(minor_shown("libtest.so.12", names), -1);
}

TEST(ImageVersion, AnotherMajorsNamesAreIgnored) {
  std::vector<std::string> names = names_of_12_0();
  names.emplace_back("testNew");  // 13.0's
  EXPECT_EQ(minor_shown("libtest.so.12", names), 0);
}

// testOfRelease is in no table: only a release that is known as a whole has it.
TEST(ImageVersion, AReleaseIsKnownByItsNames) {
  EXPECT_EQ(minor_shown("libtest.so.12", {"testCore", "testOfRelease"}), 1);
  EXPECT_EQ(minor_shown("libtest.so.12", {"testOfRelease", "testCore"}), 1) << "in any order";
  EXPECT_EQ(minor_shown("libtest.so.12", {"testCore", "testOfRelease", "testX"}), -1);
  EXPECT_EQ(minor_shown("libtest.so.12", {"testCore"}), -1);
  EXPECT_EQ(minor_shown("libtest.so.13", {"testCore", "testOfRelease"}), -1) << "12's";
}

TEST(Tables, FindsEverySymbolAndNoOther) {
  for (int i = 0; i < kTables.symbol_count; ++i) {
    EXPECT_EQ(kTables.find_symbol(kTables.symbol_name(i)), i);
    EXPECT_EQ(kTables.hashes[i], gnu_hash(kTables.symbol_name(i)));
  }
  for (const char* name : {"", "a", "testCor", "testCoreX", "zzz", "testAdde"}) {
    EXPECT_EQ(kTables.find_symbol(name), -1) << name;
  }
}

}  // namespace
}  // namespace anycuda
