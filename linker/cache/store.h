// SPDX-License-Identifier: Apache-2.0

// The folder of a cache: one file for each entry, found by the hash of its key. All state is on
// disk and in counters, so threads, forked children and other processes need no lock. Every call
// opens the folder anew: it may be removed and made again at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "anycuda/linker/cache.h"
#include "linker/cache/cache_folder.h"
#include "linker/cache/record.h"

namespace anycuda::linker {

class Store {
 public:
  Store(CacheFolder folder, std::uint64_t max_bytes);
  static Store* of(CodeCache* cache) { return cache != nullptr ? cache->store_.get() : nullptr; }

  bool enabled() const { return !folder_.empty(); }
  const std::string& folder() const { return folder_; }
  CacheCounts counts() const;
  std::string problem() const;

  // None of these throws because of the folder, the disk or an entry.
  std::optional<Fields> find(const std::string& key);
  void put(const std::string& key, const Fields& value) noexcept;
  void clear();
  void count_uncacheable(Problem why);

 private:
  class Folder;
  enum Count { kHits, kMisses, kUncacheable, kStored, kDamaged, kEvicted, kFailures, kCounts };

  void count(Count what) { ++counts_[what]; }
  void fail(Problem problem, int error);
  void note(Problem problem, int error = 0);
  std::optional<Fields> read(const std::string& key);
  bool write(const Folder& folder, const std::string& name, const std::string& entry);
  // Removes temporary files of processes that ended, and the least recently used entries until the
  // others have at most `most` bytes together.
  void shrink(const Folder& folder, std::uint64_t most);

  const std::string folder_;
  const std::uint64_t max_bytes_;
  std::array<std::atomic<std::uint64_t>, kCounts> counts_ = {};
  std::atomic<std::uint64_t> problem_;          // a Problem and an errno
  std::atomic<std::uint64_t> since_scan_ = {};  // bytes written since shrink()
  std::atomic<bool> scanned_ = false;
};

}  // namespace anycuda::linker
