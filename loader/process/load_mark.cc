// SPDX-License-Identifier: Apache-2.0
#include "loader/process/load_mark.h"

#include <link.h>

#include <cstddef>

#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

// The words of the dynamic linker that may be its counter. One is, as long as any is noted.
constexpr int kMostWords = 8;
std::atomic<const std::uint64_t*> words[kMostWords];
// Changed only under the dynamic linker's lock, as the words are.
std::atomic<bool> words_are_noted{false};

// _rtld_global begins with the list of objects and its length, which equals the counter until an
// object is unloaded.
constexpr std::size_t kHeadWords = 2;
constexpr std::size_t kMostBytes = 64 << 10;

std::uint64_t value_of(const std::uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

struct Walk {
  const std::uint64_t* begin;
  const std::uint64_t* end;
  std::uint64_t count;
};

// More matches than there is room for: none is noted, and the next look notes them.
void note_words(const Walk& walk) {
  int found = 0;
  const std::uint64_t* matches[kMostWords];
  for (const std::uint64_t* word = walk.begin; word < walk.end; ++word) {
    if (value_of(word) != walk.count) continue;
    if (found == kMostWords) return;
    matches[found++] = word;
  }
  for (int i = 0; i < found; ++i) words[i].store(matches[i], std::memory_order_relaxed);
  words_are_noted.store(true, std::memory_order_relaxed);
}

void drop_words(std::uint64_t count) {
  for (auto& word : words) {
    const std::uint64_t* const noted = word.load(std::memory_order_relaxed);
    if (noted != nullptr && value_of(noted) != count) {
      word.store(nullptr, std::memory_order_relaxed);
    }
  }
}

int visit_for_mark(dl_phdr_info* info, std::size_t, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  walk->count = info->dlpi_adds;  // the same in each record
  if (words_are_noted.load(std::memory_order_relaxed)) {
    drop_words(walk->count);
  } else {
    note_words(*walk);
  }
  return 1;
}

int visit_count(dl_phdr_info* info, std::size_t, void* argument) {
  *static_cast<std::uint64_t*>(argument) = info->dlpi_adds;
  return 1;
}

}  // namespace

std::uint64_t load_count() {
  std::uint64_t count = 0;
  dl_iterate_phdr(visit_count, &count);
  return count;
}

std::uint64_t load_count_for_mark() {
  std::size_t size = 0;
  const auto* begin = static_cast<const std::uint64_t*>(loaded_symbol("_rtld_global", &size));
  if (begin == nullptr || size > kMostBytes) size = 0;
  const std::uint64_t* const end = begin + size / sizeof *begin;
  Walk walk{size > kHeadWords * sizeof *begin ? begin + kHeadWords : end, end, 0};
  dl_iterate_phdr(visit_for_mark, &walk);
  return walk.count;
}

void hide_load_counter() {
  words_are_noted.store(true, std::memory_order_relaxed);
  for (auto& word : words) word.store(nullptr, std::memory_order_relaxed);
}

bool LoadMark::is_latest() {
  const std::uint64_t count = count_.load(std::memory_order_acquire);
  if (count == 0) return false;
  bool is_known = false;
  for (const auto& word : words) {
    const std::uint64_t* const noted = word.load(std::memory_order_relaxed);
    if (noted == nullptr) continue;
    if (value_of(noted) != count) return false;
    is_known = true;
  }
  return is_known || is_latest_by_walk(count);
}

bool LoadMark::is_latest_by_walk(std::uint64_t count) {
  const std::uint32_t walk = walks_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (walk > kMostWalks && (walk & (walk - 1)) != 0) return true;
  return load_count() == count;
}

}  // namespace anycuda
