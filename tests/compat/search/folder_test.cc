// SPDX-License-Identifier: Apache-2.0
#include "compat/search/folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "compat/search/evaluation.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using Paths = std::vector<std::string>;
using unit::ElfImage;
using unit::paths_of;
using unit::TempTree;
using unit::TestSearch;

// One more byte makes it another file, with the same meaning.
std::string image(const std::string& tail = "") { return ElfImage{}.bytes() + tail; }

TEST(Folder, TakesTheLibrarysNamesAndNoOthers) {
  TempTree tree;
  for (const char* name : {"libtest.so", "libtest.so.12", "libtest.so.12.9.79", "libtest.so.13",
                           "libtest.sox", "libtest.so.x", "libtest.so-12", "libtest_static.a",
                           "libtest-builtins.so.12", "test.so.12"}) {
    tree.file(name, image(name));
  }
  TestSearch search;
  gather_folder(&search.gathered, SearchTier::system, tree.root().c_str());
  EXPECT_EQ(paths_of(search, tree.root()),
            (Paths{"libtest.so", "libtest.so.12", "libtest.so.12.9.79", "libtest.so.13"}));
  EXPECT_EQ(search.tiers[static_cast<int>(SearchTier::system)].folders, 1);
}

TEST(Folder, OnlyAbsoluteFoldersAreSearched) {
  TempTree tree;
  tree.file("libtest.so.12", image());
  const std::string before = std::filesystem::current_path();
  ASSERT_EQ(chdir(tree.root().c_str()), 0);
  TestSearch search;
  for (const char* folder : {".", "", "./", "..", static_cast<const char*>(nullptr)}) {
    gather_folder(&search.gathered, SearchTier::system, folder);
  }
  EXPECT_EQ(chdir(before.c_str()), 0);
  EXPECT_EQ(search.first, nullptr);
}

TEST(Folder, AMissingFolderHasNothing) {
  TempTree tree;
  TestSearch search;
  gather_folder(&search.gathered, SearchTier::system, tree.path("nowhere").c_str());
  EXPECT_EQ(search.first, nullptr);
}

TEST(Folder, LinksAndHardLinksToOneFileAreOneCandidate) {
  TempTree tree;
  const std::string real = tree.file("a/libtest.so.12.9.79", image());
  tree.link("a/libtest.so.12", "libtest.so.12.9.79");
  tree.link("a/libtest.so", "libtest.so.12");
  tree.link("b/libtest.so.12", real);
  tree.folder("c");
  ASSERT_EQ(::link(real.c_str(), tree.path("c/libtest.so.12").c_str()), 0);
  tree.file("d/libtest.so.12", image());
  TestSearch search;
  for (const char* folder : {"a", "b", "c"}) {
    gather_folder(&search.gathered, SearchTier::system, tree.path(folder).c_str());
  }
  ASSERT_EQ(paths_of(search, tree.root()).size(), 1u);
  EXPECT_STREQ(file_version_of(search.first, &search.arena), "12.9.79");
  gather_folder(&search.gathered, SearchTier::system, tree.path("d").c_str());
  EXPECT_EQ(paths_of(search, tree.root()).size(), 2u);
  EXPECT_EQ(search.gathered.last->next, nullptr);
}

// A folder may have tens of thousands of them.
TEST(Folder, UnusableFilesBeyondTheLimitAreOnlyCounted) {
  TempTree tree;
  const auto name = [](int i) { return "libtest.so.12." + std::to_string(i); };
  for (int i = 0; i < kMostUnusable; ++i) tree.file(name(i), "junk");
  TestSearch search;
  const TierSummary& summary = search.summary(SearchTier::system);
  gather_folder(&search.gathered, SearchTier::system, tree.root().c_str());
  EXPECT_EQ(paths_of(search, tree.root()).size(), static_cast<std::size_t>(kMostUnusable));
  EXPECT_EQ(summary.left_out, 0);

  for (int i = 0; i < 50; ++i) tree.file("more/" + name(i), image().substr(0, 70 + i));
  const std::size_t mark = search.arena.mark();
  gather_folder(&search.gathered, SearchTier::system, tree.path("more").c_str());
  EXPECT_EQ(search.arena.mark(), mark);
  EXPECT_EQ(summary.left_out, 50);
  EXPECT_EQ(search.left_out(), 50);
  EXPECT_FALSE(search.is_full()) << "what is left out is of no use";
  EXPECT_EQ(paths_of(search, tree.root()).size(), static_cast<std::size_t>(kMostUnusable));

  tree.file("more/libtest.so.12", image());
  gather_folder(&search.gathered, SearchTier::system, tree.path("more").c_str());
  EXPECT_STREQ(search.gathered.last->path, tree.path("more/libtest.so.12").c_str())
      << "a usable one counts";
  gather_folder(&search.gathered, SearchTier::library_path, tree.path("more").c_str());
  EXPECT_EQ(search.summary(SearchTier::library_path).unusable, 50) << "each tier has its own";
}

// Those of one folder must not take the memory that the next ones need.
TEST(Folder, OfVeryManyUsableFilesTheNewestAreCandidates) {
  TempTree tree;
  const std::string whole = image();
  const auto name = [](int i) { return "many/libtest.so.12." + std::to_string(i); };
  for (int i = 0; i < 4 * kMostUsable; ++i) tree.file(name(i), whole);
  tree.link("many/libtest.so.12", "libtest.so.12.0");
  TestSearch search;
  gather_folder(&search.gathered, SearchTier::system, tree.path("many").c_str());
  std::vector<std::string> newest;
  for (int i = 3 * kMostUsable; i < 4 * kMostUsable; ++i) newest.push_back(name(i));
  std::sort(newest.begin(), newest.end());
  EXPECT_EQ(paths_of(search, tree.root()), newest);
  EXPECT_STREQ(search.best()->path, tree.path(name(4 * kMostUsable - 1)).c_str());
  EXPECT_GE(search.left_out(), 3 * kMostUsable);
  EXPECT_FALSE(search.summary(SearchTier::system).is_full);
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    EXPECT_TRUE(search.gathered.is_seen(c->device, c->inode));
  }
  const std::size_t mark = search.arena.mark();
  gather_folder(&search.gathered, SearchTier::system, tree.path("many").c_str());
  EXPECT_EQ(search.arena.mark(), mark);
  EXPECT_EQ(paths_of(search, tree.root()), newest);
}

// A later environment is not held against an earlier one, nor one major against another.
TEST(Folder, UsableFilesAreCountedPerMajorAndEnvironment) {
  TempTree tree;
  ElfImage of_13;
  of_13.soname = "libtest.so.13";
  of_13.symbol_versions = {"libtest.so.13"};
  of_13.exports.push_back("testNew");
  for (int i = 0; i < kMostUsable; ++i)
    tree.file("a/libtest.so.12.9." + std::to_string(i), image());
  tree.file("b/libtest.so.13.0", of_13.bytes());
  tree.file("c/libtest.so.12.1", image());
  TestSearch search;
  gather_folder(&search.gathered, SearchTier::system, tree.path("a").c_str());
  gather_folder(&search.gathered, SearchTier::system, tree.path("b").c_str());
  search.gathered.begin_environment();
  gather_folder(&search.gathered, SearchTier::system, tree.path("c").c_str());
  EXPECT_EQ(paths_of(search, tree.root()).size(), kMostUsable + 2u);
  EXPECT_EQ(search.left_out(), 0);
}

TEST(Folder, AFileThatTheSearchHasSeenTakesNoMemory) {
  TempTree tree;
  tree.file("libtest.so.12", image());
  for (int i = 0; i < 20; ++i) tree.link("libtest.so.12." + std::to_string(i), "libtest.so.12");
  TestSearch search;
  gather_file(&search.gathered, SearchTier::system, tree.path("libtest.so.12").c_str());
  const std::size_t mark = search.arena.mark();
  gather_folder(&search.gathered, SearchTier::system, tree.root().c_str());
  EXPECT_EQ(search.arena.mark(), mark);
  EXPECT_EQ(search.left_out(), 0);
}

TEST(Folder, AFileWithoutMemoryForItIsCounted) {
  TempTree tree;
  tree.file("libtest.so.12", image());
  TestSearch search;
  while (search.arena.take(16) != nullptr) {
  }
  gather_folder(&search.gathered, SearchTier::system, tree.root().c_str());
  EXPECT_EQ(search.first, nullptr);
  EXPECT_EQ(search.left_out(), 1);
}

TEST(Folder, TheVersionIsTheOneBehindAllLinks) {
  TempTree tree;
  tree.file("store/libtest.so.12.10", image());
  tree.link("lib/libtest.so", tree.path("store/libtest.so.12.10"));
  TestSearch search;
  gather_file(&search.gathered, SearchTier::system, tree.path("lib/libtest.so").c_str());
  EXPECT_STREQ(file_version_of(search.first, &search.arena), "12.10");
}

TEST(Folder, AFileWithoutVersionInItsNameHasNone) {
  TempTree tree;
  tree.file("libtest.so", image());
  TestSearch search;
  gather_file(&search.gathered, SearchTier::system, tree.path("libtest.so").c_str());
  EXPECT_STREQ(file_version_of(search.first, &search.arena), "");
}

// ---- what can be wrong with a file

FileState state_of(const std::string& path) {
  TestSearch search;
  const Candidate* candidate = gather_file(&search.gathered, SearchTier::system, path.c_str());
  return candidate->image.state;
}

TEST(File, ThatIsMissingIsNamedSo) {
  TempTree tree;
  EXPECT_EQ(state_of(tree.path("libtest.so.12")), FileState::missing);
  EXPECT_EQ(state_of(tree.link("libtest.so.13", "nowhere")), FileState::missing);
}

TEST(File, FolderAndPipeAreNotFiles) {
  TempTree tree;
  EXPECT_EQ(state_of(tree.folder("libtest.so.12")), FileState::not_a_file);
  ASSERT_EQ(mkfifo(tree.path("libtest.so.13").c_str(), 0600), 0);
  EXPECT_EQ(state_of(tree.path("libtest.so.13")), FileState::not_a_file);
  EXPECT_EQ(state_of("/dev/null"), FileState::not_a_file);
}

TEST(File, ThatCannotBeOpenedKeepsTheReason) {
  TempTree tree;
  tree.link("libtest.so.12", "libtest.so.12");  // a link to itself: holds for every user
  TestSearch search;
  const Candidate* candidate =
      gather_file(&search.gathered, SearchTier::system, tree.path("libtest.so.12").c_str());
  EXPECT_EQ(candidate->image.state, FileState::unreadable);
  EXPECT_EQ(candidate->image.error, ELOOP);
}

TEST(File, ThatIsMissingCountsEachTimeItIsNamed) {
  TempTree tree;
  TestSearch search;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(gather_file(&search.gathered, SearchTier::system, tree.path("libtest.so.12").c_str()),
              nullptr);
  }
}

TEST(File, NoDescriptorStaysOpen) {
  TempTree tree;
  tree.file("libtest.so.12", image());
  const int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(before);
  for (const char* name : {"libtest.so.12", "libtest.so.13", "."}) state_of(tree.path(name));
  const int after = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(after);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace anycuda
