// SPDX-License-Identifier: Apache-2.0

// ld.so.cache in all of glibc's formats, and in invalid ones.
#include "compat/search/machine/ld_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/support/unit/environment.h"
#include "tests/support/unit/ld_cache_image.h"

namespace anycuda {
namespace {

using unit::kHere;
using unit::new_format;
using unit::put;
using Library = unit::CachedLibrary;

// An old-format part of `count` entries in front, as glibc before 2.32 wrote it.
std::string behind_old_format(int count, const std::string& rest) {
  std::string out = "ld.so-1.7.0";
  out.resize(12, '\0');
  put<std::uint32_t>(&out, static_cast<std::uint32_t>(count));
  out.resize(16 + static_cast<std::size_t>(count) * 12, '\0');
  while (out.size() % 8 != 0) out += '\0';
  return out + rest;
}

std::vector<std::string> found_in(const std::string& root, const char* prefix) {
  std::vector<std::string> paths;
  Arena arena;
  each_cached_library(
      root.c_str(), prefix, &arena,
      [](const char* path, void* list) {
        static_cast<std::vector<std::string>*>(list)->push_back(path);
      },
      &paths);
  return paths;
}

// What is found under a root whose cache has this content, as paths below the root.
std::vector<std::string> found(const std::string& content) {
  unit::TempTree tree;
  tree.file("etc/ld.so.cache", content);
  std::vector<std::string> paths = found_in(tree.root(), "libtest.so");
  for (std::string& path : paths) {
    EXPECT_EQ(path.substr(0, tree.root().size()), tree.root());
    path.erase(0, tree.root().size());
  }
  return paths;
}

using Paths = std::vector<std::string>;
const std::vector<Library> kLibraries = {{"libc.so.6", "/lib/libc.so.6"},
                                         {"libtest.so.12", "/opt/libtest.so.12"},
                                         {"libtest.so.13", "/usr/lib/libtest.so.13"}};
const Paths kFound = {"/opt/libtest.so.12", "/usr/lib/libtest.so.13"};

TEST(LdCache, TheNewFormatIsRead) { EXPECT_EQ(found(new_format(kLibraries)), kFound); }

TEST(LdCache, TheNewFormatIsFoundBehindTheOldOne) {
  for (const int entries : {0, 1, 2, 7}) {  // odd numbers of 12-byte entries need padding
    EXPECT_EQ(found(behind_old_format(entries, new_format(kLibraries))), kFound) << entries;
  }
}

TEST(LdCache, OnlyOldFormat_IsEmpty) {
  EXPECT_EQ(found(behind_old_format(3, "")), Paths{});
  EXPECT_EQ(found(behind_old_format(3, std::string(100, 'x'))), Paths{});
}

TEST(LdCache, OtherCpusLibrariesAreIgnored) {
  std::vector<Library> libraries = kLibraries;
  libraries[1].flags = 0x0803;  // x32
  libraries[2].flags = 0x0003;  // i386
  EXPECT_EQ(found(new_format(libraries)), Paths{});
}

TEST(LdCache, RelativePathIsIgnored) {
  EXPECT_EQ(found(new_format({{"libtest.so.12", "libtest.so.12"}, {"libtest.so.13", ""}})),
            Paths{});
}

TEST(LdCache, TheRootStandsBeforeEveryPath) {
  unit::TempTree tree;
  EXPECT_EQ(found_in(tree.root(), "libtest.so"), Paths{});  // no cache
  const std::string root = tree.folder("image");
  tree.file("image/etc/ld.so.cache", new_format(kLibraries));
  EXPECT_EQ(found_in(root, "libtest.so.13"), Paths{root + "/usr/lib/libtest.so.13"});
}

TEST(LdCache, InvalidCache_IsEmpty) {
  EXPECT_EQ(found(""), Paths{});
  EXPECT_EQ(found("glibc"), Paths{});
  EXPECT_EQ(found(std::string(1000, 'x')), Paths{});
  EXPECT_EQ(found("glibc-ld.so.cache2.0" + std::string(100, '\0')), Paths{});
  unit::TempTree tree;
  tree.folder("etc/ld.so.cache");
  EXPECT_EQ(found_in(tree.root(), "libtest.so"), Paths{});
}

// Cut anywhere, it gives whole names that are there or nothing; never anything else.
TEST(LdCache, TruncatedCache_WholeEntriesCount) {
  for (const std::string& whole :
       {new_format(kLibraries), behind_old_format(2, new_format(kLibraries))}) {
    for (std::size_t size = 0; size < whole.size(); size += 3) {
      for (const std::string& path : found(whole.substr(0, size))) {
        const bool known = path == kFound[0] || kFound[1].compare(0, path.size(), path) == 0 ||
                           kFound[0].compare(0, path.size(), path) == 0;
        EXPECT_TRUE(known) << path << " at " << size;
      }
    }
  }
}

TEST(LdCache, CountsAndOffsetsThatLieAreNotFollowed) {
  std::string cache = new_format(kLibraries);
  const std::uint32_t absurd = 0xffffffff;
  std::memcpy(&cache[20], &absurd, 4);  // the number of libraries
  EXPECT_EQ(found(cache).size(), 2u);
  cache = new_format(kLibraries);
  std::memcpy(&cache[48 + 24 + 8], &absurd, 4);  // the second library's path
  EXPECT_EQ(found(cache), Paths{kFound[1]});
  std::memcpy(&cache[48 + 48 + 4], &absurd, 4);  // the third one's name
  EXPECT_EQ(found(cache), Paths{});
  std::string old = behind_old_format(1, new_format(kLibraries));
  std::memcpy(&old[12], &absurd, 4);
  EXPECT_EQ(found(old), Paths{});
}

TEST(LdCache, APathThatNoFileCanHaveIsPassedOver) {
  const std::string longest = "/" + std::string(PATH_MAX - 2, 'x');
  EXPECT_EQ(found(new_format({{"libtest.so.11", longest + "x"}, {"libtest.so.12", longest}})),
            Paths{longest});
}

TEST(LdCache, PipeOfThatName_DoesNotBlock) {
  unit::TempTree tree;
  tree.folder("etc");
  ASSERT_EQ(mkfifo(tree.path("etc/ld.so.cache").c_str(), 0600), 0);
  EXPECT_EQ(found_in(tree.root(), "libtest.so"), Paths{});
}

}  // namespace
}  // namespace anycuda
