// SPDX-License-Identifier: Apache-2.0

// The newest texts of failures whose status has no reader, and their number.
#pragma once

#include <cstddef>
#include <cstdio>
#include <mutex>

namespace anycuda::graph {

// For static objects: a constant before main, and nothing runs at exit, since deleters and
// callbacks may run later than both. Needs no memory: std::bad_alloc may be what failed. Any
// thread.
class TextRing {
 public:
  static constexpr std::size_t kLongest = 256;  // with the zero at the end
  using Text = char[kLongest];

  void add(const char* text) noexcept {
    const std::lock_guard<std::mutex> locked(lock_);
    std::snprintf(texts_[count_ % kKept], kLongest, "%s", text != nullptr ? text : "");
    ++count_;
  }
  std::size_t count() noexcept {
    const std::lock_guard<std::mutex> locked(lock_);
    return count_;
  }
  // Copies the text with this number; an empty text if it is not one of the newest.
  const char* copy(std::size_t number, Text& out) noexcept {
    const std::lock_guard<std::mutex> locked(lock_);
    const bool kept = number < count_ && count_ - number <= kKept;
    std::snprintf(out, kLongest, "%s", kept ? texts_[number % kKept] : "");
    return out;
  }

 private:
  static constexpr std::size_t kKept = 16;

  std::mutex lock_;  // for a copy of a text
  std::size_t count_ = 0;
  Text texts_[kKept] = {};
};

}  // namespace anycuda::graph
