// SPDX-License-Identifier: Apache-2.0
#include "device_code/program/groups.h"

namespace anycuda::device_code {
namespace {

bool same(Version one, Version other) {
  return one.major == other.major && one.minor == other.minor;
}

bool alike(const Entry& one, const Entry& other) {
  return one.kind == other.kind && one.architecture == other.architecture &&
         one.target == other.target && one.compression == other.compression &&
         same(one.format, other.format) && same(one.toolkit, other.toolkit) &&
         one.plain_data == other.plain_data && one.concatenated == other.concatenated;
}

std::uint32_t hash(const Entry& entry) {
  std::uint32_t value = 0;
  const std::uint32_t parts[] = {static_cast<std::uint32_t>(entry.kind),
                                 entry.architecture,
                                 static_cast<std::uint32_t>(entry.target),
                                 static_cast<std::uint32_t>(entry.format.major),
                                 static_cast<std::uint32_t>(entry.format.minor),
                                 static_cast<std::uint32_t>(entry.toolkit.major),
                                 static_cast<std::uint32_t>(entry.toolkit.minor),
                                 static_cast<std::uint32_t>(entry.compression)};
  for (const std::uint32_t part : parts) value = (value ^ part) * 0x9e3779b1u;
  return value >> 16;
}

}  // namespace

bool Groups::add(const Entry& entry) {
  std::uint32_t slot = hash(entry) % kSlots;
  for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
    Group& group = groups_[slots_[slot] - 1];
    if (!alike(group.about, entry)) continue;
    ++group.entries;
    group.about.stored += entry.stored;
    group.about.unpacked += entry.unpacked;
    return true;
  }
  if (count_ == kMost) return false;
  groups_[count_] = {entry, 1};
  slots_[slot] = static_cast<std::int16_t>(++count_);
  return true;
}

void Groups::clear() {
  count_ = 0;
  std::memset(slots_, 0, sizeof slots_);
}

}  // namespace anycuda::device_code
