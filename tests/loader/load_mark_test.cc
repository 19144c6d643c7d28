// SPDX-License-Identifier: Apache-2.0

// Whether a library was loaded since a mark. With real objects, each case in a new process.
#include "loader/process/load_mark.h"

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
    mark.set(load_count_for_mark());
    EXPECT_TRUE(mark.is_set());
    EXPECT_TRUE(mark.is_latest());
    ASSERT_NE(load("libtest.so.12"), nullptr);
    EXPECT_FALSE(mark.is_latest());
    mark.set(load_count_for_mark());
    EXPECT_TRUE(mark.is_latest());
  });
}

TEST(ALoadMark, SurvivesUnloads) {
  in_child([] {
    void* const first = load("libtest.so.12");
    void* const second = load("libtest.so.13");
    LoadMark mark;
    mark.set(load_count_for_mark());
    dlclose(second);
    dlclose(first);
    EXPECT_TRUE(mark.is_latest()) << "nothing was loaded";
    ASSERT_NE(load("nvml_535"), nullptr);
    EXPECT_FALSE(mark.is_latest()) << "in the place of the first object";
  });
}

TEST(ALoadMark, OfAReloadedObjectIsNotTheLatest) {
  in_child([] {
    void* const plugin = load("libtest.so.12");
    LoadMark mark;
    mark.set(load_count_for_mark());
    dlclose(plugin);
    ASSERT_NE(load("libtest.so.12"), nullptr);
    EXPECT_FALSE(mark.is_latest());
  });
}

// Of the words that equal the counter, those that differ later are dropped.
TEST(ALoadMark, FindsTheCounterAmongAllWords) {
  in_child([] {
    for (int i = 0; i < 300; ++i) {
      LoadMark mark;
      mark.set(load_count_for_mark());
      EXPECT_TRUE(mark.is_latest()) << i;
      void* const library = load("libtest.so.12");
      EXPECT_FALSE(mark.is_latest()) << i;
      dlclose(library);
      EXPECT_FALSE(mark.is_latest()) << i;
    }
  });
}

TEST(ALoadMark, WithoutTheCounter_Walks) {
  in_child([] {
    hide_load_counter();
    LoadMark mark;
    mark.set(load_count_for_mark());
    EXPECT_TRUE(mark.is_latest());
    ASSERT_NE(load("libtest.so.12"), nullptr);
    EXPECT_FALSE(mark.is_latest());
    mark.set(load_count_for_mark());
    EXPECT_TRUE(mark.is_latest());
  });
}

TEST(ALoadMark, WithoutTheCounter_WalksAtMostSoOften) {
  in_child([] {
    hide_load_counter();
    LoadMark mark;
    mark.set(load_count_for_mark());
    for (std::uint32_t i = 0; i < LoadMark::kMostWalks; ++i) EXPECT_TRUE(mark.is_latest());
    ASSERT_NE(load("libtest.so.12"), nullptr);
    std::uint32_t calls = LoadMark::kMostWalks + 1;
    while (mark.is_latest()) ++calls;
    EXPECT_EQ(calls, 2 * LoadMark::kMostWalks);
  });
}

TEST(ALoadMark, IsReadDuringLoadsAndUnloads) {
  in_child([] {
    LoadMark mark;
    mark.set(load_count_for_mark());
    std::atomic<bool> done{false};
    std::thread asking([&] {
      while (!done) {
        if (!mark.is_latest()) mark.set(load_count_for_mark());
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
