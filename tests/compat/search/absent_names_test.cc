// SPDX-License-Identifier: Apache-2.0

// The table of what does not exist, which the stubs of a process share: it saves questions, and
// changes no choice.
#include "compat/search/machine/absent_names.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <filesystem>

#include "compat/search/search.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;

int asked;

bool exists(const char* path) {
  ++asked;
  return std::filesystem::exists(path) || (errno = ENOENT) == 0;
}

class AbsentNamesOf : public testing::Test {
 protected:
  // Children, which stand for the stubs of one process, share it.
  AbsentNamesOf() {
    void* const memory = mmap(nullptr, sizeof(AbsentNames::Place) * AbsentNames::kPlaces,
                              PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    places_ = static_cast<AbsentNames::Place*>(memory);
    asked = 0;
  }
  ~AbsentNamesOf() override { munmap(places_, sizeof(AbsentNames::Place) * AbsentNames::kPlaces); }
  bool find(const std::string& path) const {
    return AbsentNames(places_).find(path.c_str(), exists);
  }
  int filled() const {
    int count = 0;
    while (count < AbsentNames::kPlaces && places_[count] != 0) ++count;
    return count;
  }
  // The path that a stub finds, below the machine's folder; "" for none.
  std::string found(const std::string& expected) const {
    in_child([&] {
      share_absent_names(places_);
      Arena arena;
      const Report* const report = search({&kLibrary, &kTables}, this_machine(), &arena);
      const std::string path = report->chosen != nullptr ? report->chosen->path : "";
      EXPECT_EQ(path, expected.empty() ? "" : machine_.tree.path(expected));
    });
    return expected;
  }
  void expect_driver(bool is_there) const {
    in_child([&] {
      share_absent_names(places_);
      EXPECT_EQ(this_machine().driver().facts.present, is_there);
    });
  }

  EmptyMachine machine_;
  AbsentNames::Place* places_;
};

TEST_F(AbsentNamesOf, AbsentPath_IsAskedForOnce) {
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(find(machine_.tree.path("none")));
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(find(machine_.tree.path("other")));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(filled(), 2);
}

TEST_F(AbsentNamesOf, ExistingOrRelativePath_IsAskedForEachTime) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(find(machine_.tree.root()));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(find("none"));
  EXPECT_EQ(asked, 6);
  EXPECT_EQ(filled(), 0);
}

TEST_F(AbsentNamesOf, FullTable_KeepsItsNames) {
  for (int i = 0; i < 2 * AbsentNames::kPlaces; ++i) find("/none/" + std::to_string(i));
  EXPECT_EQ(filled(), AbsentNames::kPlaces);
  asked = 0;
  EXPECT_FALSE(find("/none/0"));
  EXPECT_EQ(asked, 0);
  EXPECT_FALSE(find("/none/" + std::to_string(AbsentNames::kPlaces)));
  EXPECT_EQ(asked, 1);
}

TEST_F(AbsentNamesOf, NoTable_EveryPathIsAskedFor) {
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(AbsentNames().find("/none", exists));
  EXPECT_EQ(asked, 2);
}

TEST_F(AbsentNamesOf, FurtherStub_ChoosesTheSame) {
  machine_.tree.fake("libtest.so.13", "system/usr/local/cuda-13.0/lib64/libtest.so.13");
  machine_.tree.fake("libtest.so.12", "system/usr/local/cuda-12.9/lib64/libtest.so.12");
  machine_.tree.link("system/usr/local/cuda", "cuda-12.9");
  const std::string chosen = "system/usr/local/cuda-13.0/lib64/libtest.so.13";
  found(chosen);
  const int names = filled();
  EXPECT_GT(names, 5);
  found(chosen);
  EXPECT_EQ(filled(), names);
}

TEST_F(AbsentNamesOf, FolderThatAnotherSearchHadTwice_CountsWhereItIsTheOnlyOne) {
  machine_.tree.fake("libtest.so.12", "system/usr/local/cuda-12.9/lib64/libtest.so.12");
  machine_.tree.link("system/usr/local/cuda", "cuda-12.9");
  found("system/usr/local/cuda/lib64/libtest.so.12");
  std::filesystem::remove(machine_.tree.path("system/usr/local/cuda"));
  found("system/usr/local/cuda-12.9/lib64/libtest.so.12");
}

TEST_F(AbsentNamesOf, PackageInstalledAfterAFailedSearch_IsFound) {
  const ScopedVariable path("PYTHONPATH", machine_.tree.folder("site").c_str());
  found("");
  EXPECT_GT(filled(), 0);
  machine_.tree.fake("libtest.so.12", "site/nvidia/test_runtime/lib/libtest.so.12");
  found("site/nvidia/test_runtime/lib/libtest.so.12");
}

TEST_F(AbsentNamesOf, ChangedVariable_Counts) {
  machine_.tree.fake("libtest.so.12", "a/lib64/libtest.so.12");
  machine_.tree.fake("libtest.so.12", "b/lib64/libtest.so.12");
  const ScopedVariable first("CUDA_PATH", machine_.tree.path("a").c_str());
  found("a/lib64/libtest.so.12");
  const ScopedVariable second("CUDA_PATH", machine_.tree.path("b").c_str());
  found("b/lib64/libtest.so.12");
}

TEST_F(AbsentNamesOf, AbsentDriver_IsSearchedForAgainOnlyOnAnotherPath) {
  expect_driver(false);
  machine_.tree.fake("libtestdriver.so.1", "system/usr/lib64/libtestdriver.so.1");
  expect_driver(false);
  machine_.tree.fake("libtestdriver.so.1", "path/libtestdriver.so.1");
  const ScopedVariable path("LD_LIBRARY_PATH", machine_.tree.path("path").c_str());
  expect_driver(true);
}

TEST_F(AbsentNamesOf, AbsentDriver_DoesNotHideALoadedOne) {
  expect_driver(false);
  const std::string file = machine_.tree.fake("libtestdriver.so.1", "loaded.so");
  in_child([&] {
    ASSERT_NE(dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
    share_absent_names(places_);
    EXPECT_TRUE(this_machine().driver().facts.present);
  });
}

TEST_F(AbsentNamesOf, AbsentDriver_DoesNotHideTheOneThatAVariableNames) {
  expect_driver(false);
  const std::string file = machine_.tree.fake("libtestdriver.so.1", "mine.so");
  const ScopedVariable named(kDriver.variable, file.c_str());
  expect_driver(true);
}

}  // namespace
}  // namespace anycuda
