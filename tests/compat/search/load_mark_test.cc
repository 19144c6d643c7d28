// SPDX-License-Identifier: Apache-2.0

// Whether a library was loaded since a mark. With real objects, each case in a new process.
#include "compat/search/load_mark.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using unit::fake_library;
using unit::in_child;

void* load(const char* name) { return dlopen(fake_library(name).c_str(), RTLD_NOW); }

TEST(ALoadMark, OfNoMomentIsNeverTheLatest) {
  LoadMark mark;
  EXPECT_FALSE(mark.is_set());
  EXPECT_FALSE(mark.is_latest());
}

TEST(ALoadMark, IsTheLatestUntilSomethingIsLoaded) {
  in_child([] {
    LoadMark mark;
    mark.set(loads_now());
    EXPECT_TRUE(mark.is_set());
    EXPECT_TRUE(mark.is_latest());
    ASSERT_NE(load("libtest.so.12"), nullptr);
    EXPECT_FALSE(mark.is_latest());
    mark.set(loads_now());
    EXPECT_TRUE(mark.is_latest());
  });
}

TEST(ALoadMark, SurvivesTheLastObject) {
  in_child([] {
    void* const last = load("libtest.so.12");
    LoadMark mark;
    mark.set(loads_now());
    dlclose(last);
    EXPECT_TRUE(mark.is_latest()) << "nothing was loaded";
    ASSERT_NE(load("nvml_535"), nullptr);
    EXPECT_FALSE(mark.is_latest()) << "in the place of the last object";
  });
}

TEST(ALoadMark, OfTwoUnloadedObjects_IsNotTheLatest) {
  in_child([] {
    void* const first = load("libtest.so.12");
    void* const second = load("libtest.so.13");
    LoadMark mark;
    mark.set(loads_now());
    dlclose(second);
    dlclose(first);
    EXPECT_FALSE(mark.is_latest());
  });
}

// As with a glibc before 2.35.
Loads counted(Loads loads) {
  loads.last[0] = {1, loads.count};
  return loads;
}

TEST(ALoadMark, CountsIfTheLastObjectsStateIsUnknown) {
  in_child([] {
    LoadMark mark;
    mark.set(counted(loads_now()));
    ASSERT_NE(load("libtest.so.12"), nullptr);
    EXPECT_FALSE(mark.is_latest());
    mark.set(counted(loads_now()));
    EXPECT_TRUE(mark.is_latest());
  });
}

TEST(ALoadMark, ThatCountsLooksAtMostSoOften) {
  in_child([] {
    LoadMark mark;
    for (std::uint32_t i = 0; i < LoadMark::kMostWalks; ++i) {
      mark.set(counted(loads_now()));
      EXPECT_TRUE(mark.is_latest());
    }
    mark.set(counted(loads_now()));
    ASSERT_NE(load("libtest.so.12"), nullptr);
    std::uint32_t calls = LoadMark::kMostWalks + 1;
    while (mark.is_latest()) ++calls;
    EXPECT_EQ(calls, 2 * LoadMark::kMostWalks);
  });
}

TEST(ALoadMark, IsReadDuringLoadsAndUnloads) {
  in_child([] {
    LoadMark mark;
    mark.set(loads_now());
    std::atomic<bool> done{false};
    std::thread asking([&] {
      while (!done) {
        if (!mark.is_latest()) mark.set(loads_now());
      }
    });
    for (int i = 0; i < 2000; ++i) {
      void* const one = load("libtest.so.12");
      void* const other = load("libtest.so.13");
      dlclose(one);
      dlclose(other);
    }
    done = true;
    asking.join();
    ASSERT_NE(load("nvml_535"), nullptr);
    EXPECT_FALSE(mark.is_latest());
  });
}

}  // namespace
}  // namespace anycuda
