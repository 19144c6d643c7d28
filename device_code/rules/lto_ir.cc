// SPDX-License-Identifier: Apache-2.0
#include "device_code/rules/lto_ir.h"

#include "device_code/fatbin.h"

namespace anycuda {
namespace {

// Container versions, major in the upper byte: 12.9 writes 1.0x40, 13.0 1.0x41.
constexpr int kFirstOf13 = 0x141;

bool is_before_13(Version version) { return (version.major << 8 | version.minor) < kFirstOf13; }

bool in_fatbin(device_code::Bytes fatbin) {
  const device_code::Bytes entries = device_code::entries_of(fatbin);
  std::size_t at = 0;
  device_code::FatbinEntry entry;
  while (device_code::next_entry(entries, &at, &entry) == device_code::NextEntry::found) {
    if (entry.kind() == device_code::Kind::lto_ir && is_before_13(entry.format())) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool has_lto_ir_before_13(const void* data, std::size_t size) {
  using device_code::kFatbin;
  using device_code::kLtoIr;
  const device_code::Bytes file = {static_cast<const unsigned char*>(data), size};
  if (size >= sizeof kLtoIr + 2 && file.begins_with(kLtoIr, sizeof kLtoIr)) {
    return is_before_13({file.data[sizeof kLtoIr], file.data[sizeof kLtoIr + 1]});
  }
  for (std::size_t at = 0; (at = file.find(kFatbin, sizeof kFatbin, at)) < size;
       at += sizeof kFatbin) {
    const device_code::Bytes here = file.from(at);
    if (here.size >= device_code::kFatbinHeader && in_fatbin(here)) return true;
  }
  return false;
}

}  // namespace anycuda
