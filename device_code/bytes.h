// SPDX-License-Identifier: Apache-2.0

// A part of a file in memory. Every read is checked against its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace anycuda::device_code {

struct Bytes {
  const unsigned char* data = nullptr;
  std::size_t size = 0;

  // All formats here are little-endian, as are the CPUs that anycuda is for.
  template <typename T>
  bool read(std::uint64_t at, T* value) const {
    if (at > size || size - at < sizeof *value) return false;
    std::memcpy(value, data + at, sizeof *value);
    return true;
  }

  // What of `length` bytes from `at` on lies inside; nothing where `at` is past the end.
  Bytes part(std::uint64_t at, std::uint64_t length) const {
    if (at > size) return {};
    const std::uint64_t left = size - at;
    return {data + at, static_cast<std::size_t>(length < left ? length : left)};
  }
  Bytes from(std::uint64_t at) const { return part(at, size); }

  bool holds(std::uint64_t at, std::uint64_t length) const {
    return at <= size && length <= size - at;
  }

  bool begins_with(const void* text, std::size_t length) const {
    return size >= length && std::memcmp(data, text, length) == 0;
  }

  // Where `text` next begins, from `at` on; `size` where it does not.
  std::size_t find(const void* text, std::size_t length, std::size_t at = 0) const {
    if (at >= size) return size;
    const void* found = memmem(data + at, size - at, text, length);
    return found == nullptr
               ? size
               : static_cast<std::size_t>(static_cast<const unsigned char*>(found) - data);
  }
};

}  // namespace anycuda::device_code
