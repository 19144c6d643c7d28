// SPDX-License-Identifier: Apache-2.0

// The facts in a file on disk: one test per answer.
#include "compat/search/elf/image_file.h"
#include "loader/tables.h"

#include <gtest/gtest.h>

#include "tests/compat/search/read_image_of.h"
#include "tests/support/unit/elf_image.h"

namespace anycuda {
namespace {

using unit::ElfImage;
using unit::facts_of;
using unit::Hash;

TEST(ImageFile, ASoundLibraryIsUsable) {
  const ImageFacts facts = facts_of(ElfImage{}.bytes());
  EXPECT_EQ(facts.state, FileState::usable);
  EXPECT_EQ(facts.version.major, 12);
}

TEST(ImageFile, NonElfFileIsReported) {
  EXPECT_EQ(facts_of("").state, FileState::not_elf);
  EXPECT_EQ(facts_of("abc").state, FileState::not_elf);
  EXPECT_EQ(facts_of("INPUT(libtest.so.12)").state, FileState::not_elf);  // a linker script
  EXPECT_EQ(facts_of(std::string(4096, 'x')).state, FileState::not_elf);
}

TEST(ImageFile, ExecutableIsNotALibrary) {
  ElfImage image;
  image.lies.type = ET_EXEC;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::not_elf);
}

TEST(ImageFile, AnotherMachineIsAnotherArchitecture) {
  ElfImage image;
  image.lies.machine = unit::kOtherCpu;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::other_architecture);
  image.lies.machine = unit::kThisCpu;
  image.lies.elf_class = ELFCLASS32;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::other_architecture);
}

// dlopen of a truncated file would end the process with SIGBUS.
TEST(ImageFile, EveryShorterFileIsTruncatedOrNoElf) {
  const std::string whole = ElfImage{}.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const FileState expected = size < SELFMAG ? FileState::not_elf : FileState::truncated;
    EXPECT_EQ(facts_of(whole.substr(0, size)).state, expected)
        << size << " bytes of " << whole.size();
  }
}

// Everything that is read is there; dlopen would map more than that.
TEST(ImageFile, ASegmentThatEndsBehindTheFileIsATruncation) {
  ElfImage image;
  image.lies.load_size = 1 << 20;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::truncated);
}

TEST(ImageFile, HeadersOutsideTheFileAreATruncation) {
  ElfImage image;
  image.lies.headers_at = 1 << 20;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::truncated);
  image.lies.headers_at = 0x7fffffffffffffff;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::truncated);
}

TEST(ImageFile, AbsurdNumberOfHeadersIsNotElf) {
  ElfImage image;
  image.lies.header_count = 0xffff;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::not_elf);
}

TEST(ImageFile, WithoutADynamicSection_IsAnotherLibrary) {
  ElfImage image;
  image.lies.no_dynamic = true;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::other_library);
  image.lies.no_dynamic = false;
  image.lies.header_count = 0;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::other_library);
}

TEST(ImageFile, WithoutStrings_IsAnotherLibrary) {
  ElfImage image;
  image.lies.no_string_table = true;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::other_library);
}

TEST(ImageFile, AnAbsurdStringTableIsNotRead) {
  ElfImage image;
  image.lies.string_size = std::int64_t{1} << 40;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::other_library);
  image.lies.string_size = 1 << 20;  // thinkable, but not in this file
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::truncated);
}

TEST(ImageFile, SonameOutsideTheStringsIsIgnored) {
  ElfImage image;
  image.symbol_versions.clear();
  image.lies.soname_offset = 1 << 30;
  const ImageFacts facts = facts_of(image.bytes());
  EXPECT_EQ(facts.state, FileState::other_library);
  EXPECT_EQ(facts.detail, nullptr);
}

TEST(ImageFile, AnotherLibraryIsNamed) {
  ElfImage image;
  image.soname = "libother.so.3";
  image.symbol_versions = {"libother.so.3"};
  const ImageFacts facts = facts_of(image.bytes());
  EXPECT_EQ(facts.state, FileState::other_library);
  EXPECT_STREQ(facts.detail, "libother.so.3");
}

TEST(ImageFile, AnEndlessForeignNameIsCutShort) {
  ElfImage image;
  image.soname = std::string(5000, 'n');
  image.symbol_versions.clear();
  const ImageFacts facts = facts_of(image.bytes());
  EXPECT_EQ(facts.state, FileState::other_library);
  EXPECT_EQ(std::string(facts.detail), std::string(63, 'n'));
}

TEST(ImageFile, AStubIsAStub) {
  ElfImage image;
  image.symbol_versions = {"ANYCUDA_NATIVE", "libtest.so.12"};
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::anycuda_stub);
}

TEST(ImageFile, ARenamedCopyIsKnownByItsSymbolVersion) {
  ElfImage image;
  image.soname = "libtest-12345678.so.13.1";
  image.symbol_versions = {"libtest.so.13"};
  EXPECT_EQ(facts_of(image.bytes()).version.major, 13);
}

TEST(ImageFile, ANewMajorIsKnownByItsNumber) {
  ElfImage image;
  image.soname = "libtest.so.14";
  image.symbol_versions = {"libtest.so.14"};
  const ImageFacts facts = facts_of(image.bytes());
  EXPECT_EQ(facts.state, FileState::usable);
  EXPECT_EQ(facts.version.major, 14);
  EXPECT_EQ(facts.version.minor, -1);
}

TEST(ImageFile, ADynamicSectionMayEndWithItsSegment) {
  ElfImage image;
  image.lies.no_terminator = true;
  EXPECT_EQ(facts_of(image.bytes()).state, FileState::usable);
}

TEST(ImageFile, TableAtTheStartOfTheSecondSegment_IsFound) {
  ElfImage image;
  image.lies.split = true;
  const ImageFacts facts = facts_of(image.bytes());
  EXPECT_EQ(facts.state, FileState::usable) << (facts.detail != nullptr ? facts.detail : "");
}

TEST(ImageFile, LibraryWithUncheckedSymbolsNeedsNone) {
  ElfImage image;
  image.soname = "libtestdriver.so.1";
  image.symbol_versions.clear();
  image.exports.clear();
  image.hash = Hash::none;
  Arena arena;
  const unit::TempFile file(image.bytes());
  const ImageFacts facts = read_image(file.descriptor(), file.size(), kDriver, nullptr, arena);
  EXPECT_EQ(facts.state, FileState::usable);
  EXPECT_EQ(facts.version.major, 1);
}

TEST(ImageFile, AnUnreadableFileKeepsTheReason) {
  Arena arena;
  const ImageFacts facts = read_image(-1, 4096, kLibrary, &kTables, arena);
  EXPECT_EQ(facts.state, FileState::unreadable);
  EXPECT_EQ(facts.error, EBADF);
}

TEST(ImageFile, AFileThatShrinksWhileItIsReadIsTruncated) {
  Arena arena;
  const unit::TempFile file("");
  EXPECT_EQ(read_image(file.descriptor(), 4096, kLibrary, &kTables, arena).state,
            FileState::truncated);
}

TEST(ImageFile, TemporaryMemoryIsGivenBack) {
  Arena arena;
  const unit::TempFile file(ElfImage{}.bytes());
  const std::size_t mark = arena.mark();
  read_image(file.descriptor(), file.size(), kLibrary, &kTables, arena);
  EXPECT_EQ(arena.mark(), mark);
}

TEST(ImageFile, AFullArenaIsAnAnswerToo) {
  Arena arena;
  while (arena.take(16) != nullptr) {
  }
  const unit::TempFile file(ElfImage{}.bytes());
  const ImageFacts facts = read_image(file.descriptor(), file.size(), kLibrary, &kTables, arena);
  EXPECT_EQ(facts.state, FileState::out_of_memory);
}

}  // namespace
}  // namespace anycuda
