// SPDX-License-Identifier: Apache-2.0

// Entries that are alike, counted: a library has some thousands of entries and a dozen groups.
#pragma once

#include "device_code/entry.h"

namespace anycuda::device_code {

struct Group {
  Entry about;  // its sizes are those of all, its offset that of the first
  std::uint64_t entries = 0;
};

// Holds a fixed number. A file of more kinds of entries gets the same group again.
class Groups {
 public:
  static constexpr int kMost = 512;

  // Returns false when the groups are full: the caller prints and clears them.
  bool add(const Entry& entry);
  void clear();

  const Group* begin() const { return groups_; }
  const Group* end() const { return groups_ + count_; }

 private:
  static constexpr int kSlots = 2 * kMost;
  int count_ = 0;
  Group groups_[kMost];
  std::int16_t slots_[kSlots] = {};  // 1 + the group's index
};

}  // namespace anycuda::device_code
