// SPDX-License-Identifier: Apache-2.0

// Whole searches over real files: tier by tier, the newest that the rules accept and that opens.
// A process asks for its driver once, so each search that needs the driver has its own process.
#include "compat/search/search.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "compat/search/reason.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

using unit::ElfImage;
using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;
using unit::TestSearch;

class SearchOn : public testing::Test {
 protected:
  std::string install(const std::string& library, const std::string& name) {
    return machine.tree.fake(library, name);
  }
  // A file that reads like a good library and that the dynamic linker refuses.
  void put_unopenable(const std::string& name, const char* soname) {
    ElfImage image;
    image.soname = soname;
    image.symbol_versions = {soname};
    image.lies.file_version = 2;
    machine.tree.file(name, image.bytes());
  }
  // Path of what a search finds, below the machine's folder; "" for nothing.
  std::string search_all(int caller_major = 12) {
    search.request.caller_major = caller_major;
    search.run();
    if (search.handle == nullptr) return "";
    return std::string(search.chosen->path).substr(machine.tree.root().size() + 1);
  }
  std::string reason(const std::string& name) {
    for (Candidate* c = search.first; c != nullptr; c = c->next) {
      if (machine.tree.path(name) == c->path) return reason_of(*c, search, &search.arena);
    }
    return "not gathered";
  }

  EmptyMachine machine;
  TestSearch search;
};

TEST_F(SearchOn, AnEmptyMachineFindsNothing) {
  in_child([&] { EXPECT_EQ(search_all(), ""); });
}

TEST_F(SearchOn, TheNewestMajorOfAClassWins) {
  for (const char* library : {"libtest.so.11.2", "libtest.so.13", "libtest.so.12"}) {
    install(library, std::string("system/usr/lib/") + library);
  }
  in_child([&] { EXPECT_EQ(search_all(), "system/usr/lib/libtest.so.13"); });
}

TEST_F(SearchOn, AnEarlierClassWinsOverANewerLibrary) {
  install("libtest.so.13", "system/usr/lib/libtest.so.13");
  install("libtest.so.11.2", "path/libtest.so.11.2");
  const ScopedVariable set("LD_LIBRARY_PATH", machine.tree.path("path").c_str());
  in_child([&] { EXPECT_EQ(search_all(), "path/libtest.so.11.2"); });
}

TEST_F(SearchOn, VersionsInNamesAreComparedAsNumbers) {
  for (const char* name : {"a/libtest.so.12.9.79", "b/libtest.so.12.10.1", "c/libtest.so.12.9.8"}) {
    install("libtest.so.12", std::string("path/") + name);
  }
  const std::string value = machine.tree.path("path/a") + ":" + machine.tree.path("path/b") + ":" +
                            machine.tree.path("path/c");
  const ScopedVariable set("LD_LIBRARY_PATH", value.c_str());
  in_child([&] { EXPECT_EQ(search_all(), "path/b/libtest.so.12.10.1"); });
}

TEST_F(SearchOn, DriverTooOldForTheNewest_NextIsTaken) {
  install("libtestdriver.so.1", "system/usr/lib/libtestdriver.so.1");  // CUDA 12.2
  install("libtest.so.13", "system/usr/lib/libtest.so.13");
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  in_child([&] {
    EXPECT_EQ(search_all(), "system/usr/lib/libtest.so.12");
    EXPECT_THAT(reason("system/usr/lib/libtest.so.13"), testing::HasSubstr("12.2"));
  });
}

TEST_F(SearchOn, UnknownMajorServesOnlyUnversionedCallers) {
  install("libtest.so.14", "system/usr/lib/libtest.so.14");
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  in_child([&] {
    EXPECT_EQ(search_all(12), "system/usr/lib/libtest.so.12");
    EXPECT_THAT(reason("system/usr/lib/libtest.so.14"), testing::HasSubstr("update anycuda"));
  });
  in_child([&] { EXPECT_EQ(search_all(kUnversionedCaller), "system/usr/lib/libtest.so.14"); });
}

TEST_F(SearchOn, RejectTakesTheCallersOwnMajorOnly) {
  install("libtest.so.13", "system/usr/lib/libtest.so.13");
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  search.request.policy.cross_major = CrossMajor::reject;
  in_child([&] { EXPECT_EQ(search_all(12), "system/usr/lib/libtest.so.12"); });
  in_child([&] { EXPECT_EQ(search_all(11), ""); });
}

TEST_F(SearchOn, LibraryThatTheLinkerRefusesIsPassedOver) {
  put_unopenable("system/usr/lib/libtest.so.13", "libtest.so.13");
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  in_child([&] {
    EXPECT_EQ(search_all(), "system/usr/lib/libtest.so.12");
    EXPECT_THAT(reason("system/usr/lib/libtest.so.13"), testing::HasSubstr("version"));
    EXPECT_EQ(dlerror(), nullptr) << "the program must not find our failure there";
  });
}

// Bound when it is opened: found out at a call, it would be the program's end.
TEST_F(SearchOn, LibraryWithAMissingSymbolIsRefusedAtOpening) {
  install("libtest_unbound.so", "system/usr/lib/libtest.so.13");
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  in_child([&] {
    EXPECT_EQ(search_all(), "system/usr/lib/libtest.so.12");
    EXPECT_THAT(reason("system/usr/lib/libtest.so.13"),
                testing::HasSubstr("undefined symbol: testNobodyHasThis"));
    EXPECT_EQ(dlerror(), nullptr) << "the program must not find our failure there";
  });
}

TEST_F(SearchOn, AClassWithoutAnAcceptableCandidateLeadsToTheNext) {
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  install("libtest_stub.so", "path/libtest.so");
  machine.tree.file("path/libtest.so.13", "INPUT(nothing)");
  const ScopedVariable set("LD_LIBRARY_PATH", machine.tree.path("path").c_str());
  in_child([&] {
    EXPECT_EQ(search_all(), "system/usr/lib/libtest.so.12");
    EXPECT_THAT(reason("path/libtest.so"), testing::HasSubstr("anycuda stub"));
    EXPECT_THAT(reason("path/libtest.so.13"), testing::HasSubstr("not an ELF"));
  });
}

TEST_F(SearchOn, TheVariableIsUsedOrRefusedNeverReplaced) {
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  const std::string mine = install("libtest.so.11.2", "mine.so");
  {
    const ScopedVariable set("ANYCUDA_TESTLIB", mine.c_str());
    in_child([&] { EXPECT_EQ(search_all(), "mine.so"); });
  }
  const ScopedVariable set("ANYCUDA_TESTLIB", machine.tree.path("nowhere.so").c_str());
  in_child([&] { EXPECT_EQ(search_all(), ""); });
}

// dlopen would look for a plain name in its own places, not where the file was examined.
TEST_F(SearchOn, TheVariableMustBeAFullPath) {
  install("libtest.so.12", "libtest.so.12");
  const ScopedVariable set("ANYCUDA_TESTLIB", "libtest.so.12");
  in_child([&] {
    ASSERT_EQ(chdir(machine.tree.root().c_str()), 0);
    EXPECT_EQ(search_all(), "");
    EXPECT_EQ(search.first->image.state, FileState::not_absolute);
  });
}

TEST_F(SearchOn, LoadedLibraryIsAdoptedForAnyDriverAndDisk) {
  install("libtestdriver.so.1", "system/usr/lib/libtestdriver.so.1");
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  const std::string loaded = install("libtest.so.13", "elsewhere/renamed.so");
  in_child([&] {
    ASSERT_NE(dlopen(loaded.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr);
    EXPECT_EQ(search_all(), "elsewhere/renamed.so");
  });
}

TEST_F(SearchOn, ALoadedStubIsNotAdopted) {
  const std::string stub = install("libtest_stub.so", "elsewhere/libtest.so.12");
  in_child([&] {
    ASSERT_NE(dlopen(stub.c_str(), RTLD_NOW), nullptr);
    EXPECT_EQ(search_all(), "");
    EXPECT_EQ(search.first, nullptr);
  });
}

// CUDA 13 is loaded but may not serve this caller; a second major would break it.
TEST_F(SearchOn, NoSecondMajorIsOpenedBesideALoadedOne) {
  const std::string loaded = install("libtest.so.13", "elsewhere/libtest.so.13");
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  search.request.policy.cross_major = CrossMajor::reject;
  in_child([&] {
    ASSERT_NE(dlopen(loaded.c_str(), RTLD_NOW), nullptr);
    EXPECT_EQ(search_all(12), "");
    EXPECT_THAT(reason("system/usr/lib/libtest.so.12"), testing::HasSubstr("CUDA 13"));
  });
}

TEST_F(SearchOn, NamedFile_OnlyTheLoadedOneIsAccepted) {
  const std::string loaded = install("libtest.so.12", "elsewhere/libtest.so.12");
  const std::string other = install("libtest.so.12", "other/libtest.so.12");
  machine.tree.link("linked/mine.so", loaded);
  for (const std::string& same : {loaded, machine.tree.path("linked/mine.so")}) {
    const ScopedVariable set("ANYCUDA_TESTLIB", same.c_str());
    in_child([&] {
      ASSERT_NE(dlopen(loaded.c_str(), RTLD_NOW), nullptr);
      EXPECT_EQ(machine.tree.path(search_all()), same);
    });
  }
  const ScopedVariable set("ANYCUDA_TESTLIB", other.c_str());
  in_child([&] {
    ASSERT_NE(dlopen(loaded.c_str(), RTLD_NOW), nullptr);
    EXPECT_EQ(search_all(), "");
    EXPECT_THAT(reason("other/libtest.so.12"), testing::HasSubstr("has loaded another"));
    EXPECT_EQ(dlerror(), nullptr) << "the program must not find our failure there";
  });
}

// ---- the report, as clients get it

int count_of(const Report& report) {
  int count = 0;
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) ++count;
  return count;
}

TEST_F(SearchOn, InvalidSetting_NoSearch) {
  install("libtest.so.12", "system/usr/lib/libtest.so.12");
  in_child([&] {
    search.request.policy.wrong_count = 1;
    Arena arena;
    const Report* report = anycuda::search(search.request, unit::kNoDriver, &arena);
    ASSERT_NE(report, nullptr);
    EXPECT_EQ(report->handle, nullptr);
    EXPECT_EQ(report->candidates(), nullptr);
    for (const TierSummary& tier : report->tiers) EXPECT_FALSE(tier.searched);
  });
}

TEST_F(SearchOn, UnreachedTiersAreAddedToACopyOfTheReport) {
  install("libtest.so.11.2", "path/libtest.so.11.2");
  install("libtest.so.13", "system/usr/lib/libtest.so.13");
  const ScopedVariable set("LD_LIBRARY_PATH", machine.tree.path("path").c_str());
  in_child([&] {
    Arena arena;
    const Report* report = anycuda::search(search.request, unit::kNoDriver, &arena);
    ASSERT_NE(report, nullptr);
    const Report* whole = with_unreached_tiers(*report, unit::kNoDriver, &arena);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(count_of(*report), 1) << "the first report stays as it is";
    ASSERT_EQ(count_of(*whole), 2);
    EXPECT_EQ(whole->chosen, whole->candidates());
    EXPECT_STREQ(whole->chosen->path, report->chosen->path);
    const Candidate* other = whole->candidates()->next;
    EXPECT_STREQ(other->path, machine.tree.path("system/usr/lib/libtest.so.13").c_str());
    EXPECT_FALSE(whole->reached(*other));
    EXPECT_FALSE(other->tried);
    EXPECT_EQ(whole->tiers[static_cast<int>(SearchTier::system)].folders, 0);
  });
}

TEST_F(SearchOn, VersionsAreReadIntoACopyOfTheReport) {
  install("libtest.so.12", "system/usr/local/cuda/lib64/libtest.so.12");
  machine.tree.file("system/usr/local/cuda/include/cuda.h", "#define CUDA_VERSION 12040\n");
  search.request.policy.cross_major = CrossMajor::reject;
  search.request.caller_major = 11;
  in_child([&] {
    Arena arena;
    const Report* report = anycuda::search(search.request, unit::kNoDriver, &arena);
    ASSERT_NE(report, nullptr);
    ASSERT_EQ(count_of(*report), 1);
    const Report* more = with_versions(*report, &arena);
    ASSERT_NE(more, nullptr);
    EXPECT_EQ(known_version(*more->candidates()).minor, 4);
    EXPECT_FALSE(report->candidates()->toolkit_read) << "the first report stays as it is";
  });
}

}  // namespace
}  // namespace anycuda
