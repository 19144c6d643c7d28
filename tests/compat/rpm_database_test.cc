// SPDX-License-Identifier: Apache-2.0

// RPM's databases, as rpm has written them, whole and broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "compat/search/toolkit/records/rpm_header.h"
#include "compat/search/toolkit/rpm/rpm_database.h"
#include "support/machine.h"
#include "tests/support/case_names.h"
#include "tests/support/unit/environment.h"

namespace anycuda::test {
namespace {

using ::testing::IsSupersetOf;
using ::testing::SizeIs;

constexpr char kLibrary[] = "/usr/local/cuda-12.9/targets/x86_64-linux/lib/libcublas.so.12";

struct Contents {
  bool sound;
  std::vector<std::string> names;
  std::vector<std::string> owners;  // of kLibrary
};

struct Reading {
  PagedFile file;
  Contents contents;
};

void visit(PagedValue* value, void* argument) {
  auto* reading = static_cast<Reading*>(argument);
  // A value can claim any size; its first bytes are read, as the search does.
  std::vector<char> header(std::min<std::size_t>(value->left, 65536) + 1);
  const auto size = static_cast<std::uint32_t>(header.size() - 1);
  reading->file.take(value, header.data(), size);
  const std::string name(rpm_name({header.data(), size}));
  reading->contents.names.push_back(name);
  if (rpm_lists({header.data(), size}, kLibrary)) reading->contents.owners.push_back(name);
}

Contents contents_of(const std::filesystem::path& path) {
  const auto reading = std::make_unique<Reading>();  // zeroed
  EXPECT_EQ(reading->file.open(path.c_str()), TextState::read);
  reading->contents.sound = reading->file.format() != PageFormat::unknown &&
                            each_rpm_header(&reading->file, visit, reading.get());
  reading->file.close();
  return reading->contents;
}

class RpmDatabase : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    original_ = unit::read_file(std::filesystem::path(ANYCUDA_TEST_RPM) / GetParam());
    machine_.put_file("database", original_);
  }
  // With those bytes at that place for one look.
  Contents changed(std::size_t at, const std::string& bytes) {
    put(at, bytes);
    const Contents contents = contents_of(path());
    put(at, original_.substr(at, bytes.size()));
    return contents;
  }
  void put(std::size_t at, const std::string& bytes) {
    std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
  }
  std::filesystem::path path() const { return machine_.root() / "database"; }
  bool is_sqlite() const { return original_[0] == 'S'; }

  std::string original_;
  Machine machine_;
};

TEST_P(RpmDatabase, HasAllPackages) {
  const Contents contents = contents_of(path());
  EXPECT_TRUE(contents.sound);
  EXPECT_THAT(contents.names, SizeIs(15));
  EXPECT_THAT(contents.names, IsSupersetOf({"library-1", "library-8", "files", "cuda-cudart-12-9",
                                            "libcublas-12-9", "cuda-compat-12-9"}));
  EXPECT_THAT(contents.owners, ::testing::ElementsAre("libcublas-12-9"));
}

TEST_P(RpmDatabase, ThatEndsTooEarlyIsReadToItsEnd) {
  const std::size_t whole = contents_of(path()).names.size();
  for (std::size_t size = original_.size() - 1; size > 0;
       size -= std::min<std::size_t>(size, 509)) {
    machine_.truncate("database", size);
    const Contents contents = contents_of(path());
    EXPECT_LE(contents.names.size(), whole) << size;
    if (size < original_.size() / 8) {
      EXPECT_FALSE(contents.sound && contents.names.size() == whole) << size;
    }
  }
}

TEST_P(RpmDatabase, WithAnyByteChangedIsReadToAnEnd) {
  std::size_t damaged = 0;
  for (std::size_t at = 0; at < original_.size(); at += at % 4096 < 64 ? 1 : 97) {
    for (const unsigned change : {0x01u, 0xffu}) {
      const auto byte = static_cast<unsigned char>(original_[at]) ^ change;
      if (!changed(at, std::string(1, static_cast<char>(byte))).sound) ++damaged;
    }
  }
  EXPECT_GT(damaged, 10u) << "the changes reach the reading code";
}

TEST_P(RpmDatabase, SharedPages_AreReadToAnEnd) {
  for (std::size_t page = 0; page + 4096 <= original_.size(); page += 4096) {
    changed(page, std::string(4096, '\0'));
    changed(page, std::string(4096, '\xff'));
    for (std::size_t other = 0; other + 4096 <= original_.size(); other += 3 * 4096)
      changed(page, original_.substr(other, 4096));
  }
}

class RpmTree : public RpmDatabase {};

// A branch with 2000 times the same child.
std::string branch(char child) {
  std::string page("\x05\0\0\x07\xd0\0\0\0\0\0\0", 11);
  page += child;
  for (int i = 0; i < 2000; ++i) page += "\x0f\xac";  // the cell at 4012
  page += std::string(3, '\0') + child;
  return page + std::string(4096 - page.size(), '\0');
}

TEST_P(RpmTree, WithATreeThatLeadsBackToItselfIsDamaged) {
  EXPECT_FALSE(changed(4096, branch(2)).sound);
}

// 2000^10 ways lead to its leaf.
TEST_P(RpmTree, SharedChildren_AreDamage) {
  std::string pages;
  for (char page = 2; page < 12; ++page) pages += branch(static_cast<char>(page + 1));
  pages += '\x0d' + std::string(4095, '\0');
  EXPECT_FALSE(changed(4096, pages).sound);
}

TEST_P(RpmDatabase, CircularChain_IsReadToAnEnd) {
  int chains = 0;
  for (std::size_t page = 4096; page + 4096 <= original_.size(); page += 4096) {
    const auto number = page / 4096 + (is_sqlite() ? 1 : 0);
    const bool overflow = is_sqlite() ? original_[page] == '\0' : original_[page + 25] == 7;
    if (!overflow) continue;
    ++chains;
    const char byte = static_cast<char>(number);
    changed(page + (is_sqlite() ? 3 : 16), std::string(1, byte));
  }
  EXPECT_GE(chains, 3);
}

INSTANTIATE_TEST_SUITE_P(Formats, RpmDatabase,
                         ::testing::Values("el9/rpmdb.sqlite", "el8/Packages"),
                         [](const auto& info) { return std::string(info.param, 3); });
INSTANTIATE_TEST_SUITE_P(Sqlite, RpmTree, ::testing::Values("el9/rpmdb.sqlite"), kPrintedName);

}  // namespace
}  // namespace anycuda::test
