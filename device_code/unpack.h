// The beginning of a compressed entry.
#pragma once

#include <cstddef>

#include "device_code/entry.h"

namespace anycuda::device_code {

// Whether this build has the library that unpacks it.
bool unpacks(Compression compression);

// Unpacks into one buffer of a fixed size, whatever size an entry gives: a few kilobytes of a
// file can unpack to gigabytes.
class Unpacker {
 public:
  static constexpr std::size_t kMost = std::size_t{8} << 20;
  // Of all entries of a file together.
  static constexpr std::uint64_t kMostInAll = std::uint64_t{4} << 30;

  Unpacker() = default;
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // At most `most` bytes from the beginning; fewer where the rest is damaged, nothing where it
  // cannot be unpacked. They stay as they are until the next call.
  Bytes beginning(Bytes packed, Compression compression, std::size_t most);

 private:
  std::uint64_t left_ = kMostInAll;
  unsigned char* buffer_ = nullptr;
  void* zstd_ = nullptr;
};

}  // namespace anycuda::device_code
