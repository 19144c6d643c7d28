// SPDX-License-Identifier: Apache-2.0

// The search tiers, each on a machine that the test makes up.
#include "compat/search/gather.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using Paths = std::vector<std::string>;
using unit::ElfImage;
using unit::EmptyMachine;
using unit::paths_of;
using unit::ScopedVariable;
using unit::TestSearch;

class Gather : public testing::Test {
 protected:
  // A library at `path`; all contents differ: copies count once.
  void put(const std::string& path) { machine.tree.file(path, ElfImage{}.bytes() + path); }
  Paths gathered(SearchTier tier, const LibraryDescriptor& library = kLibrary) {
    TestSearch search(library, nullptr);
    search.gather(tier);
    return paths_of(search, machine.tree.root());
  }
  std::string path(const std::string& name) const { return machine.tree.path(name); }

  EmptyMachine machine;
};

TEST_F(Gather, AnEmptyMachineHasNothingAnywhere) {
  for (int tier = 0; tier < kTierCount; ++tier) {
    EXPECT_EQ(gathered(static_cast<SearchTier>(tier)), Paths{}) << tier;
    EXPECT_EQ(gathered(static_cast<SearchTier>(tier), kDriver), Paths{}) << tier;
  }
}

TEST_F(Gather, VariableNamesOneFileOfAnyName) {
  put("mine.so");
  const ScopedVariable set("ANYCUDA_TESTLIB", path("mine.so").c_str());
  EXPECT_EQ(gathered(SearchTier::variable), Paths{"mine.so"});
  EXPECT_EQ(gathered(SearchTier::variable, kDriver), Paths{});
}

TEST_F(Gather, MissingNamedFileIsGatheredForTheReport) {
  const ScopedVariable set("ANYCUDA_TESTLIB", path("nowhere.so").c_str());
  EXPECT_EQ(gathered(SearchTier::variable), Paths{"nowhere.so"});
}

TEST_F(Gather, LibraryPathIsReadEntryByEntry) {
  put("a/libtest.so.12");
  put("b/libtest.so.12");
  put("c/libtest.so.12");
  const std::string value = path("a") + "::" + path("b") + ";" + path("c") + ":" + path("nowhere");
  const ScopedVariable set("LD_LIBRARY_PATH", value.c_str());
  EXPECT_EQ(gathered(SearchTier::library_path),
            (Paths{"a/libtest.so.12", "b/libtest.so.12", "c/libtest.so.12"}));
}

TEST_F(Gather, LibraryPath_CurrentFolderAndLinkerTokensAreIgnored) {
  put("$LIB/libtest.so.12");
  put("libtest.so.12");
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(machine.tree.root());
  const std::string value = ":.:" + path("$LIB") + ":./:relative:";
  const ScopedVariable set("LD_LIBRARY_PATH", value.c_str());
  const Paths found = gathered(SearchTier::library_path);
  std::filesystem::current_path(before);
  EXPECT_EQ(found, Paths{});
}

TEST_F(Gather, ToolkitVariablesNameToolkits) {
  put("path/lib64/libtest.so.12");
  put("home/targets/x86_64-linux/lib/libtest.so.12");
  put("home/lib/libtest.so.13");
  put("home/lib/libtestdriver.so.1");
  const ScopedVariable first("CUDA_PATH", path("path").c_str());
  const ScopedVariable second("CUDA_HOME", path("home").c_str());
  EXPECT_EQ(gathered(SearchTier::toolkit),
            (Paths{"home/lib/libtest.so.13", "home/targets/x86_64-linux/lib/libtest.so.12",
                   "path/lib64/libtest.so.12"}));
  EXPECT_EQ(gathered(SearchTier::toolkit, kDriver), Paths{});  // no toolkit brings a driver
}

TEST_F(Gather, RelativeToolkitIsIgnored) {
  put("lib64/libtest.so.12");
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(machine.tree.root());
  const ScopedVariable set("CUDA_PATH", ".");
  const Paths found = gathered(SearchTier::toolkit);
  std::filesystem::current_path(before);
  EXPECT_EQ(found, Paths{});
}

TEST_F(Gather, TheSystemHasItsFoldersAndEveryInstalledToolkit) {
  const Paths files = {"system/opt/cuda/lib64/libtest.so.12",
                       "system/usr/lib/libtest.so.12",
                       "system/usr/lib/x86_64-linux-gnu/libtest.so.12",
                       "system/usr/lib64/libtest.so.12",
                       "system/usr/local/cuda-11.8/targets/x86_64-linux/lib/libtest.so.11.2",
                       "system/usr/local/cuda-13.5/lib64/libtest.so.13",
                       "system/usr/local/cuda/lib64/libtest.so.12"};
  for (const std::string& file : files) put(file);
  put("system/usr/local/other/lib64/libtest.so.12");
  put("system/usr/lib/wsl/lib/libtest.so.12");  // the driver's alone
  EXPECT_EQ(gathered(SearchTier::system), files);
}

TEST_F(Gather, DriverFoldersOfTheSystemAreSearched) {
  const Paths files = {"system/run/opengl-driver/lib/libtestdriver.so.1",
                       "system/usr/lib/wsl/lib/libtestdriver.so.1",
                       "system/usr/local/nvidia/lib64/libtestdriver.so.1"};
  for (const std::string& file : files) put(file);
  put("system/usr/local/cuda/lib64/libtestdriver.so.1");  // a toolkit's stub
  EXPECT_EQ(gathered(SearchTier::system, kDriver), files);
}

TEST_F(Gather, EveryTierHasAName) {
  for (int tier = 0; tier < kTierCount; ++tier) {
    EXPECT_STRNE(tier_name(static_cast<SearchTier>(tier), kLibrary), "") << tier;
  }
  EXPECT_STREQ(tier_name(SearchTier::variable, kDriver), "ANYCUDA_TESTDRIVER");
}

}  // namespace
}  // namespace anycuda
