#include "compat/rules/lto_ir.h"

#include <cstdint>
#include <cstring>

namespace anycuda {
namespace {

// Container versions, major in the upper byte: 12.9 writes 1.0x40, 13.0 1.0x41.
constexpr unsigned kFirstOf13 = 0x141;

constexpr unsigned char kLtoIr[] = {0xed, 0x43, 0x4e, 0x7f};  // then major and minor, a byte each

// A fatbin: magic number, version 1, size of this header, size of what follows.
constexpr unsigned char kFatbin[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
constexpr std::size_t kFatbinHeader = 16;
constexpr std::size_t kFatbinSize = 8;
// An entry of it: kind, sizes of its header and of what follows, and for LTO-IR the version.
constexpr std::size_t kEntryHeader = 4;
constexpr std::size_t kEntrySize = 8;
constexpr std::size_t kEntryVersion = 24;
constexpr std::size_t kEntryKnown = 28;
constexpr std::uint16_t kKindLtoIr = 8;

template <typename T>
T number_at(const unsigned char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

bool in_fatbin(const unsigned char* fatbin, std::size_t size) {
  const auto inside = number_at<std::uint64_t>(fatbin + kFatbinSize);
  if (inside < size - kFatbinHeader) size = kFatbinHeader + static_cast<std::size_t>(inside);
  std::size_t at = kFatbinHeader;
  while (size - at >= kEntryKnown) {
    const unsigned char* entry = fatbin + at;
    // The minor version stands first.
    const unsigned version = number_at<std::uint16_t>(entry + kEntryVersion) |
                             number_at<std::uint16_t>(entry + kEntryVersion + 2) << 8;
    if (number_at<std::uint16_t>(entry) == kKindLtoIr && version < kFirstOf13) return true;
    const std::uint64_t header = number_at<std::uint32_t>(entry + kEntryHeader);
    const auto content = number_at<std::uint64_t>(entry + kEntrySize);
    if (header < kEntryKnown || header > size - at || content > size - at - header) return false;
    at += static_cast<std::size_t>(header + content);
  }
  return false;
}

}  // namespace

bool has_lto_ir_before_13(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  if (size >= sizeof kLtoIr + 2 && std::memcmp(bytes, kLtoIr, sizeof kLtoIr) == 0) {
    return (bytes[sizeof kLtoIr] << 8 | bytes[sizeof kLtoIr + 1]) < static_cast<int>(kFirstOf13);
  }
  const unsigned char* end = bytes + size;
  while (static_cast<std::size_t>(end - bytes) >= kFatbinHeader) {
    const void* found =
        memmem(bytes, static_cast<std::size_t>(end - bytes), kFatbin, sizeof kFatbin);
    if (found == nullptr) return false;
    const auto* fatbin = static_cast<const unsigned char*>(found);
    const auto left = static_cast<std::size_t>(end - fatbin);
    if (left >= kFatbinHeader && in_fatbin(fatbin, left)) return true;
    bytes = fatbin + sizeof kFatbin;
  }
  return false;
}

}  // namespace anycuda
