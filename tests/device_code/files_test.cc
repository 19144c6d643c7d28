// SPDX-License-Identifier: Apache-2.0

// Device code in files of other kinds: PTX, LTO-IR, libraries, static archives, and any data.
#include <elf.h>
#include <gmock/gmock.h>

#include "device_code/fatbin.h"
#include "tests/device_code/reading.h"

namespace anycuda::device_code {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string fatbin_of(std::uint32_t architecture) {
  test::EntryHeader header;
  header.architecture = architecture;
  return test::fatbin(test::entry(test::kCubin, header, cubin(architecture)));
}

TEST(Ptx, FirstLinesHaveVersionAndTarget) {
  const Reading reading =
      reading_of("// compiler\n\n/* more */ .version 8.4\n.target sm_90a\n.address_size 64\n");
  EXPECT_EQ(reading.kind, FileKind::ptx);
  EXPECT_THAT(described(reading), ElementsAre("ptx 90a of 8.4, 45 at 24"));
  EXPECT_THAT(described(reading_of(".version 7.0 // new\n.target sm_75, debug\n")),
              ElementsAre("ptx 75 of 7.0, 41 at 0"));
  EXPECT_THAT(described(reading_of(".version 9.0 .target sm_103f")),
              ElementsAre("ptx 103f of 9.0, 28 at 0"));
}

TEST(Ptx, OtherTextsAreNotTakenForIt) {
  for (const char* text : {".version", ".version 8", ".version 8.4", ".version 8.4\n.target",
                           ".version %d.%d\n.target sm_%d", ".version 8.4\n.target compute_90",
                           ".version 8.4 .target sm_", "version 8.4 .target sm_90",
                           ".version 99999999999.4\n.target sm_90",
                           ".version 8.4\n.target sm_99999999999", "/*", "//"}) {
    EXPECT_THAT(reading_of(text).entries, IsEmpty()) << text;
  }
}

TEST(LtoIrFile, ItsHeaderHasTheVersion) {
  const Reading reading = reading_of(std::string("\xed\x43\x4e\x7f\x01\x36 more", 11));
  EXPECT_EQ(reading.kind, FileKind::lto_ir);
  EXPECT_THAT(described(reading), ElementsAre("lto 0 of 1.54, 11 at 0"));
  EXPECT_THAT(reading_of("\xed\x43\x4e\x7f\x01").problems, ElementsAre("LTO-IR is truncated"));
}

TEST(PlainData, FatbinsCubinsAndPtxAreFoundInIt) {
  const std::string text = ".version 8.4\n.target sm_90\n";
  const Reading reading =
      reading_of("data" + fatbin_of(80) + "!" + cubin(75) + text + std::string(1, '\0') + text);
  EXPECT_EQ(reading.kind, FileKind::other);
  EXPECT_THAT(described(reading),
              ElementsAre("sm_80 of 12.4, 64 at 84, plain", "sm_75 of 12.4, 64 at 149, plain",
                          "ptx 90 of 8.4, 27 at 213, plain", "ptx 90 of 8.4, 27 at 241, plain"));
}

TEST(PlainData, MagicNumbersWithoutTheirContentAreNotDeviceCode) {
  const std::string magic("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
  EXPECT_THAT(reading_of("data" + magic).entries, IsEmpty());
  EXPECT_THAT(reading_of(std::string("data\x7f"
                                     "ELF\2\1\1",
                                     11))
                  .entries,
              IsEmpty());
  EXPECT_THAT(reading_of("").entries, IsEmpty());
}

struct Section {
  std::string name;
  std::string content;
  std::uint32_t type = SHT_PROGBITS;
  std::uint64_t flags = SHF_ALLOC;
};

// A library of the host: sections behind the header, their table at the end.
std::string library(const std::vector<Section>& sections) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG "\2\1\1", 7);
  header.e_machine = EM_X86_64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size() + 2);
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() + 1);
  std::string contents, names(1, '\0');
  std::vector<Elf64_Shdr> table(1);
  for (const Section& section : sections) {
    Elf64_Shdr row = {};
    row.sh_name = static_cast<Elf64_Word>(names.size());
    row.sh_type = section.type;
    row.sh_flags = section.flags;
    row.sh_offset = sizeof header + contents.size();
    row.sh_size = section.content.size();
    table.push_back(row);
    names += section.name + std::string(1, '\0');
    contents += section.content;
  }
  Elf64_Shdr row = {};
  row.sh_type = SHT_STRTAB;
  row.sh_offset = sizeof header + contents.size();
  row.sh_size = names.size();
  table.push_back(row);
  contents += names;
  header.e_shoff = sizeof header + contents.size();
  return test::bytes(header) + contents +
         std::string(reinterpret_cast<const char*>(table.data()),
                     table.size() * sizeof(Elf64_Shdr));
}

TEST(Library, SectionsOfFatbinsAndDataAreRead) {
  const Reading reading =
      reading_of(library({{".nv_fatbin", fatbin_of(80)},
                          {"__nv_relfatbin", fatbin_of(90)},
                          {".rodata", fatbin_of(100)},
                          {".text", fatbin_of(1), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
                          {".debug", fatbin_of(2), SHT_PROGBITS, 0}}));
  EXPECT_EQ(reading.kind, FileKind::host_elf);
  EXPECT_THAT(reading.problems, IsEmpty());
  EXPECT_THAT(described(reading),
              ElementsAre("sm_80 of 12.4, 64 at 144", "sm_90 of 12.4, 64 at 288",
                          "sm_100 of 12.4, 64 at 432, plain"));
}

// As in programs that read fatbins themselves.
TEST(Library, MagicNumberAmongDataIsNotAFatbin) {
  const std::string magic(reinterpret_cast<const char*>(kFatbin), sizeof kFatbin);
  const Reading reading =
      reading_of(library({{".rodata", magic + std::string(40, 'x') + fatbin_of(80)},
                          {".data", magic + std::string(4, '\0')}}));
  EXPECT_THAT(reading.problems, IsEmpty());
  EXPECT_THAT(described(reading), ElementsAre("sm_80 of 12.4, 64 at 192, plain"));
  EXPECT_THAT(reading_of(library({{".nv_fatbin", magic + std::string(40, 'x')}})).problems,
              ElementsAre("a fatbin is damaged or truncated"));
}

TEST(Library, FatbinSectionShorterThanAHeaderIsReported) {
  const std::string whole = fatbin_of(80);
  for (std::size_t size = 1; size < kFatbinHeader; ++size) {
    for (const char* name : {".nv_fatbin", "__nv_relfatbin"}) {
      EXPECT_EQ(reading_of(library({{name, whole.substr(0, size)}})).problems.size(), 1u) << size;
      EXPECT_THAT(reading_of(library({{name, std::string(size, '\0')}})).problems, IsEmpty());
    }
  }
}

TEST(Library, WithoutSectionsItIsSearchedFromEndToEnd) {
  std::string stripped = library({{".nv_fatbin", fatbin_of(80)}});
  std::memset(&stripped[40], 0, 8);
  EXPECT_THAT(described(reading_of(stripped)), ElementsAre("sm_80 of 12.4, 64 at 144, plain"));
}

TEST(Library, ATruncatedOneIsSearchedAndReported) {
  const std::string whole = library({{".nv_fatbin", fatbin_of(80)}});
  const Reading reading = reading_of(whole.substr(0, 300));
  EXPECT_THAT(described(reading), ElementsAre("sm_80 of 12.4, 64 at 144, plain"));
  EXPECT_THAT(reading.problems, ElementsAre("an ELF file lacks its section headers"));
  for (std::size_t size = 0; size < whole.size(); ++size) reading_of(whole.substr(0, size));
}

TEST(Library, ASectionPastTheEndIsReported) {
  std::string damaged = library({{".nv_fatbin", fatbin_of(80)}});
  const std::size_t row = damaged.size() - 2 * sizeof(Elf64_Shdr);
  std::memset(&damaged[row + 32], 0x7f, 8);  // sh_size
  const Reading reading = reading_of(damaged);
  EXPECT_THAT(described(reading), ElementsAre("sm_80 of 12.4, 64 at 144"));
  EXPECT_THAT(reading.problems,
              ElementsAre("a section reaches past the end of its file",
                          "a fatbin is damaged or truncated: its magic number is missing"));
}

// 60,000 sections at the same part of the file would take hours.
TEST(Library, OverlappingSectionsEnd) {
  std::vector<Section> sections(60000, {"", ""});
  sections.push_back({".rodata", std::string(100000, 'd')});
  std::string file = library(sections);
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  for (std::size_t i = 1; i < 60000; ++i) {
    char* row = &file[header.e_shoff + i * sizeof(Elf64_Shdr)];
    std::memcpy(row + 32, test::bytes(std::uint64_t{100000}).data(), 8);
  }
  EXPECT_THAT(reading_of(file).problems, ElementsAre("sections overlap"));
}

TEST(Library, OfAnotherKindOfCpuIsReported) {
  std::string other = library({{".nv_fatbin", fatbin_of(80)}});
  other[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(reading_of(other).problems,
              ElementsAre("an ELF file is damaged, or not for a 64-bit little-endian CPU: its "
                          "device code is not read"));
}

std::string member(const std::string& content, std::string size = "") {
  if (size.empty()) size = std::to_string(content.size());
  size.resize(10, ' ');
  return std::string(48, ' ') + size + "`\n" + content + (content.size() % 2 == 1 ? "\n" : "");
}

TEST(Archive, MembersAreRead) {
  const Reading reading = reading_of("!<arch>\n" + member("symbols!!") +
                                     member(library({{".nv_fatbin", fatbin_of(80)}})) +
                                     member(fatbin_of(90)) + member(cubin(75)));
  EXPECT_EQ(reading.kind, FileKind::archive);
  EXPECT_THAT(reading.problems, IsEmpty());
  ASSERT_EQ(reading.entries.size(), 3u);
  EXPECT_EQ(reading.entries[0].architecture, 80u);
  EXPECT_EQ(reading.entries[1].architecture, 90u);
  EXPECT_EQ(reading.entries[2].architecture, 75u);
}

TEST(Archive, DamageIsReported) {
  const std::string good = "!<arch>\n" + member(fatbin_of(80));
  for (const std::string& size : {std::string("9999999999"), std::string("-1"), std::string("x")}) {
    const Reading reading = reading_of(good + member("", size));
    EXPECT_EQ(reading.entries.size(), 1u);
    EXPECT_THAT(reading.problems, ElementsAre("an archive is damaged or truncated")) << size;
  }
  for (std::size_t size = 9; size < good.size(); ++size) {
    EXPECT_THAT(reading_of(good.substr(0, size)).problems,
                ElementsAre("an archive is damaged or truncated"));
  }
}

// An archive in an archive is data: no depth of them is followed.
TEST(Archive, InsideOfAnotherIsSearchedAsData) {
  std::string nested = fatbin_of(80);
  for (int depth = 0; depth < 100; ++depth) nested = "!<arch>\n" + member(nested);
  const Reading reading = reading_of(nested);
  ASSERT_EQ(reading.entries.size(), 1u);
  EXPECT_TRUE(reading.entries[0].plain_data);
}

TEST(Archive, AThinOneIsReported) {
  EXPECT_THAT(reading_of("!<thin>\n" + member("")).problems,
              ElementsAre("a thin archive has its members in other files"));
}

}  // namespace
}  // namespace anycuda::device_code
