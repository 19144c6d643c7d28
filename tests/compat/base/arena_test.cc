// SPDX-License-Identifier: Apache-2.0
#include "compat/base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace anycuda {
namespace {

bool all_zero(const void* place, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(place);
  for (std::size_t i = 0; i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

TEST(Arena, GivesZeroedAlignedMemory) {
  Arena arena;
  ASSERT_TRUE(arena.usable());
  for (const std::size_t size : {1, 15, 16, 17, 1000}) {
    void* place = arena.take(size);
    ASSERT_NE(place, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 16, 0u);
    EXPECT_TRUE(all_zero(place, size));
    std::memset(place, 0xff, size);
  }
}

TEST(Arena, GivesZeroedMemoryAgainAfterRewind) {
  Arena arena;
  const std::size_t mark = arena.mark();
  void* first = arena.take(100);
  std::memset(first, 0xff, 100);
  arena.rewind(mark);
  void* second = arena.take(100);
  EXPECT_EQ(first, second);
  EXPECT_TRUE(all_zero(second, 100));
}

// Each allocation is cleared, also where allocations of another size were, and behind them.
TEST(Arena, GivesZeroedMemoryWhereRawMemoryWas) {
  Arena arena;
  const std::size_t mark = arena.mark();
  std::memset(arena.take_raw(1000), 0xff, 1000);
  arena.rewind(mark);
  for (const std::size_t size : {16, 100, 500, 3000}) {
    void* place = arena.take(size);
    EXPECT_TRUE(all_zero(place, size)) << size;
    std::memset(place, 0xff, size);
  }
  arena.rewind(mark);
  arena.take_raw(16);
  EXPECT_TRUE(all_zero(arena.take(5000), 5000));
}

TEST(Arena, RewindKeepsEarlierAllocations) {
  Arena arena;
  const char* kept = arena.copy("kept");
  const std::size_t mark = arena.mark();
  arena.copy("gone");
  arena.rewind(mark);
  arena.rewind(mark + 100);  // nothing has been taken there: nothing happens
  EXPECT_STREQ(kept, "kept");
  EXPECT_EQ(arena.mark(), mark);
}

TEST(Arena, Full_RefusesAndStaysUsable) {
  Arena arena;
  EXPECT_EQ(arena.take(std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(arena.take(std::size_t{1} << 40), nullptr);
  while (arena.take(1 << 20) != nullptr) {
  }
  EXPECT_EQ(arena.copy(std::string(1 << 20, 'x').c_str()), nullptr);
  EXPECT_EQ(arena.join(std::string(1 << 20, 'x').c_str(), "y"), nullptr);
  arena.rewind(0);
  EXPECT_STREQ(arena.copy("again"), "again");
}

TEST(Arena, AReserveIsLeftByAllThatTakesMeanwhile) {
  Arena arena;
  {
    const ArenaReserve reserve(&arena, 4096);
    const ArenaReserve another(&arena, 1024);
    while (arena.take(16) != nullptr) {
    }
    const ArenaReserve too_much(&arena, std::numeric_limits<std::size_t>::max());
    EXPECT_EQ(arena.take(16), nullptr);
  }
  EXPECT_NE(arena.take(5120), nullptr);
  EXPECT_EQ(arena.take(16), nullptr);
}

TEST(Arena, Full_HasRoomForScratch) {
  Arena arena;
  while (arena.take(16) != nullptr) {
  }
  const Scratch path(&arena);
  ASSERT_NE(path.text(), nullptr);
  std::memset(path.text(), 0xff, Scratch::kPath);
  arena.rewind(0);
  EXPECT_TRUE(all_zero(arena.take(5000), 5000));
}

TEST(Arena, ScratchIsReusedAfterItsEnd) {
  Arena arena;
  char* first;
  {
    const Scratch outer(&arena, 16);
    first = outer.text();
    const Scratch inner(&arena);
    EXPECT_GE(inner.text(), first + 16);
    const Scratch too_large(&arena, std::numeric_limits<std::size_t>::max());
    EXPECT_EQ(too_large.text(), nullptr);
  }
  EXPECT_EQ(Scratch(&arena).text(), first);
}

TEST(Arena, JoinsAndFormats) {
  Arena arena;
  EXPECT_STREQ(arena.join("/usr", "lib"), "/usr/lib");
  EXPECT_STREQ(arena.join("", "usr/lib"), "/usr/lib");
  EXPECT_STREQ(arena.format("%s %d%%", "CUDA", 12), "CUDA 12%");
  EXPECT_STREQ(arena.format("%.*s", 3, "abcdef"), "abc");
}

}  // namespace
}  // namespace anycuda
