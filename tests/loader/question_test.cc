// SPDX-License-Identifier: Apache-2.0

// A version query without CUDA gets "no" from the call itself, and no message is written. In all
// other cases the message has at most five lines. A process reports once, so each case has its own
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include "loader/jump_slots.h"
#include "loader/report.h"
#include "loader/short_report.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"
#include "tests/support/unit/ld_cache_image.h"
#include "tests/support/unit/slot_call.h"
#include "tests/support/unit/test_tables.h"

namespace anycuda {
namespace {

using namespace unit;  // NOLINT: the symbols of the made-up library
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

int lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

std::uint64_t ask() { return call(native_slot(kQuery)); }
std::uint64_t use() { return call(kCoreIn12); }

class Question : public testing::Test {
 protected:
  Question() { reset_slots(); }
  EmptyMachine machine;
};

TEST_F(Question, NothingInstalled_IsNotReported) {
  const std::string text = in_child([] {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(), 0u);
    call(native_slot(kDriverVersion));
  });
  EXPECT_THAT(text, IsEmpty());
}

TEST_F(Question, LeavesTheMessageToTheNextOtherCall) {
  const std::string text = in_child([] {
    ask();
    EXPECT_EQ(use(), 35u);
    EXPECT_EQ(use(), 35u);
    ask();
    call(native_slot(kCoreCall));
  });
  EXPECT_THAT(text, StartsWith("anycuda: testCore failed: no usable test library was found.\n"
                               "  looked for: libtest.so.13, libtest.so.12, libtest.so.11.2 in "));
  EXPECT_THAT(text, HasSubstr(", for a program built for CUDA 12\n"));
  EXPECT_THAT(text, HasSubstr("  what to do: install the test library, or set ANYCUDA_TESTLIB"));
  EXPECT_THAT(text, HasSubstr("anycuda doctor"));
  EXPECT_EQ(lines(text), 4) << "written once: " << text;
}

// The message is the one that the same call writes as the first.
TEST_F(Question, DoesNotChangeTheMessage) {
  const std::string first = in_child([] { use(); });
  const std::string second = in_child([] {
    ask();
    use();
  });
  EXPECT_EQ(first, second);
  EXPECT_EQ(lines(first), 4) << first;
}

// A library that is loaded meanwhile starts another search, which looks only at that.
TEST_F(Question, IsRememberedWhenALibraryIsLoadedMeanwhile) {
  const std::string first = in_child([] { use(); });
  const std::string other = machine.tree.fake("libtestdriver.so.1", "elsewhere/libother.so");
  const std::string second = in_child([&] {
    ask();
    ASSERT_NE(dlopen(other.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
    ask();
    use();
  });
  EXPECT_EQ(first, second);
}

TEST_F(Question, ABrokenFileIsReportedOnce) {
  machine.tree.file("system/usr/lib/libtest.so.12", "no library");
  const std::string text = in_child([] {
    ask();
    ask();
    use();
  });
  EXPECT_THAT(text, StartsWith("anycuda: testQuery failed: no usable test library was found.\n"));
  EXPECT_THAT(text, HasSubstr("/libtest.so.12: not an ELF shared library\n"));
  EXPECT_EQ(lines(text), 5) << text;
}

// As after the removal of a package, until the next ldconfig.
TEST_F(Question, FileThatOnlyTheCacheLists_DoesNotCount) {
  machine.tree.file("system/etc/ld.so.cache",
                    new_format({{"libtest.so.12", "/opt/libtest.so.12"},
                                {"libtest.so.13", "/opt/libtest.so.13"}}));
  const std::string asked = in_child([] { ask(); });
  EXPECT_THAT(asked, IsEmpty());
  const std::string used = in_child([] { use(); });
  EXPECT_THAT(used, HasSubstr("/opt/libtest.so.12: no such file, but ld.so.cache lists it\n"));
  EXPECT_EQ(lines(used), 5) << used;
}

TEST_F(Question, DanglingLinkInTheCacheIsReported) {
  machine.tree.file("system/etc/ld.so.cache",
                    new_format({{"libtest.so.12", "/opt/libtest.so.12"}}));
  machine.tree.link("system/opt/libtest.so.12", "nowhere");
  const std::string text = in_child([] { ask(); });
  EXPECT_THAT(text, HasSubstr("/opt/libtest.so.12: no such file\n"));
}

TEST_F(Question, ARefusedLibraryIsReported) {
  machine.tree.fake("libtest.so.13", "system/usr/lib/libtest.so.13");
  const ScopedVariable set("ANYCUDA_CROSS_MAJOR", "reject");
  // The test has no question under 12's version.
  const std::string text = in_child([] { use(); });
  EXPECT_THAT(text, HasSubstr("/libtest.so.13 (CUDA 13): of CUDA 13, and"));
  EXPECT_EQ(lines(text), 5) << text;
}

// The loaded library is a candidate too, and not the one that was refused.
TEST_F(Question, NamedFileBesideALoadedLibrary_ReasonIsReported) {
  const std::string loaded = machine.tree.fake("libtest.so.13", "loaded/libtest.so.13");
  const std::string named = machine.tree.fake("libtest.so.12", "named/libtest.so.12");
  const ScopedVariable set("ANYCUDA_TESTLIB", named.c_str());
  const std::string text = in_child([&] {
    ASSERT_NE(dlopen(loaded.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
    use();
  });
  EXPECT_THAT(text, HasSubstr(named + " (CUDA 12): of CUDA 12, and the process has loaded another, "
                                      "of CUDA 13: a process can use only one of them\n"));
  EXPECT_EQ(lines(text), 5) << text;
}

TEST_F(Question, ANamedFileThatIsMissingIsReported) {
  const ScopedVariable set("ANYCUDA_TESTLIB", "/nowhere/libtest.so.12");
  const std::string text = in_child([] { ask(); });
  EXPECT_THAT(text, HasSubstr("/nowhere/libtest.so.12: no such file\n"));
}

TEST_F(Question, AWrongSettingIsReported) {
  const ScopedVariable set("ANYCUDA_CROSS_MAJOR", "perhaps");
  const ScopedVariable other("ANYCUDA_COMPAT", "on");
  const std::string text = in_child([] { ask(); });
  EXPECT_THAT(text, HasSubstr("invalid ANYCUDA_COMPAT=on: expected"));
  EXPECT_THAT(text, HasSubstr("; other settings are invalid too\n"));
  EXPECT_THAT(text, HasSubstr("what to do: set ANYCUDA_COMPAT to "));
  EXPECT_LE(lines(text), 5) << text;
}

TEST_F(Question, LevelWarn_IsReported) {
  for (const char* level : {"warn", "info"}) {
    const ScopedVariable set("ANYCUDA_LOG", level);
    const std::string text = in_child([] { ask(); });
    EXPECT_THAT(text, HasSubstr("anycuda: testQuery failed: no usable")) << level;
    EXPECT_GT(lines(text), 5) << "every search tier has a line: " << text;
  }
}

// What a search with one candidate says to a question.
std::string said_of(const std::function<void(TestSearch*)>& change) {
  return in_child([&] {
    TestSearch search;
    change(&search);
    report_no_library(&search, &search.arena, {"testQuery", kUnversionedCaller, true});
  });
}

TEST_F(Question, StubDoesNotCount) {
  EXPECT_THAT(said_of([](TestSearch* search) {
                search->add(SearchTier::system, "/opt/libtest.so.12")->image.state =
                    FileState::anycuda_stub;
              }),
              IsEmpty());
}

TEST_F(Question, NvidiasStubForLinkingIsReported) {
  const std::string text = said_of([](TestSearch* search) {
    search->add(SearchTier::library_path, "/cuda/stubs/libtest.so.12")->image.state =
        FileState::link_stub;
  });
  EXPECT_THAT(text,
              HasSubstr("  /cuda/stubs/libtest.so.12: NVIDIA's stub for linking, not a driver"));
  EXPECT_THAT(text, HasSubstr(", and remove /cuda/stubs from LD_LIBRARY_PATH.\n"));
  EXPECT_LE(lines(text), 5) << text;
}

TEST_F(Question, BrokenFileBesideNvidiasStubForLinkingIsNamed) {
  const std::string text = said_of([](TestSearch* search) {
    search->add(SearchTier::library_path, "/cuda/stubs/libtest.so.12")->image.state =
        FileState::link_stub;
    search->add(SearchTier::system, "/opt/libtest.so.12")->image.state = FileState::truncated;
  });
  EXPECT_THAT(text, HasSubstr("  /opt/libtest.so.12: truncated"));
}

TEST_F(Question, StubBesideABrokenFile_IsNeitherNamedNorCounted) {
  for (const bool two_broken : {false, true}) {
    const std::string text = said_of([&](TestSearch* search) {
      search->add(SearchTier::system, "/opt/libtest.so.12")->image.state = FileState::anycuda_stub;
      search->add(SearchTier::system, "/gone/libtest.so.12")->listed_only = true;
      search->add(SearchTier::system, "/opt/libtest.so.13")->image.state = FileState::truncated;
      if (two_broken)
        search->add(SearchTier::system, "/opt/libtest.so")->image.state = FileState::not_elf;
    });
    EXPECT_THAT(text, HasSubstr(two_broken ? "install it again; 1 more file cannot be used\n"
                                           : "install it again\n"));
    EXPECT_THAT(text, HasSubstr("  /opt/libtest.so.13: truncated"));
  }
}

TEST_F(Question, OnlyCountedFiles_AreReported) {
  EXPECT_THAT(said_of([](TestSearch* search) { search->summary(SearchTier::system).left_out = 1; }),
              HasSubstr("testQuery failed"));
}

TEST_F(Question, MemoryShortageIsReported) {
  const std::string text = in_child([] {
    Arena arena;
    report_no_library(nullptr, &arena, {"testQuery", kUnversionedCaller, true});
  });
  EXPECT_THAT(text, HasSubstr("out of memory during the search for the test library"));
}

TEST_F(Question, MessageHasFiveLines) {
  const std::string text = said_of([](TestSearch* search) {
    for (int i = 0; i < 200; ++i) {
      Candidate* one = search->add(SearchTier::system, "/opt/a\nb/libtest.so.12");
      one->image.state = i % 2 == 0 ? FileState::usable : FileState::truncated;
      one->image.version = {12, -1};
      one->verdict = Verdict::other_loaded;
    }
    search->differing_variables = "CUDA_PATH and CUDA_HOME\nname different toolkits";
    search->summary(SearchTier::system).left_out = 60000;
  });
  EXPECT_EQ(lines(text), 5) << text;
  EXPECT_THAT(text, HasSubstr("; 60199 more files cannot be used\n"));
}

}  // namespace
}  // namespace anycuda
