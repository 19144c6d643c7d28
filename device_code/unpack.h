// SPDX-License-Identifier: Apache-2.0

// The content of a compressed entry, a part at a time.
#pragma once

#include <cstddef>

#include "device_code/entry.h"

namespace anycuda::device_code {

// Whether this build has the library that unpacks it.
bool unpacks(Compression compression);

// Unpacks into one buffer of limited size, independent of the size in an entry's header: a few
// kilobytes of a file can unpack to gigabytes.
class Unpacker {
 public:
  // The linker of device code writes the note with its CUDA behind the names of all sections and
  // symbols, which are 10 MB in a library of 9,000 kernels.
  static constexpr std::size_t kMost = std::size_t{64} << 20;
  // Of all entries of a file together.
  static constexpr std::uint64_t kMostInAll = std::uint64_t{4} << 30;

  Unpacker() = default;
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // At most `most` bytes of the content from `at` on; fewer where the rest is damaged, nothing
  // where it cannot be unpacked, as LZ4 behind kMost. They stay as they are until the next call.
  // Parts of zstd that follow each other are unpacked once.
  Bytes part(Bytes packed, Compression compression, std::uint64_t at, std::size_t most);

 private:
  bool reserve(std::size_t size);
  Bytes from_lz4(Bytes packed, std::uint64_t at, std::size_t most);
  Bytes from_zstd(Bytes packed, std::uint64_t at, std::size_t most);
  std::size_t next_of_zstd(std::size_t most);

  // Without liblz4 or libzstd some of these have no use.
  [[maybe_unused]] std::uint64_t left_ = kMostInAll;
  unsigned char* buffer_ = nullptr;
  std::size_t capacity_ = 0;

  // Of zstd: the stream, the entry that it reads, and how far it is.
  [[maybe_unused]] void* zstd_ = nullptr;
  Bytes packed_;
  [[maybe_unused]] std::size_t read_ = 0;
  [[maybe_unused]] std::uint64_t written_ = 0;
  [[maybe_unused]] bool is_over_ = false;
};

}  // namespace anycuda::device_code
