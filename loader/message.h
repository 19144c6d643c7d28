// SPDX-License-Identifier: Apache-2.0

// The text of a message, in memory of an arena.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "compat/base/arena.h"
#include "compat/base/log.h"
#include "compat/base/text.h"

namespace anycuda {

constexpr std::size_t kMessageBytes = std::size_t{64} << 10;

// A text that grows in pieces of an arena-backed buffer; what does not fit is cut.
class Message {
 public:
  explicit Message(Arena* arena) : text_(static_cast<char*>(arena->take_raw(kMessageBytes))) {}
  void add(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    if (text_ == nullptr || size_ >= end_ - 1) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + size_, end_ - size_, format, arguments);
    va_end(arguments);
    if (length > 0) size_ += static_cast<std::size_t>(length);
    if (size_ > end_ - 1) size_ = end_ - 1;
  }
  // Adds one line: control characters are replaced.
  void add_line(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    if (is_full()) return;
    va_list arguments;
    va_start(arguments, format);
    const std::size_t space = end_ - 1 - size_;
    const int length = std::vsnprintf(text_ + size_, space, format, arguments);
    va_end(arguments);
    if (length <= 0) return;
    text::as_one_line(text_ + size_);
    size_ +=
        static_cast<std::size_t>(length) < space ? static_cast<std::size_t>(length) : space - 1;
    text_[size_++] = '\n';
  }
  // Reserves the last bytes of the text; keep_back(0) releases them.
  void keep_back(std::size_t bytes) { end_ = kMessageBytes - bytes; }
  bool is_full() const { return text_ == nullptr || size_ >= end_ - 2; }
  bool usable() const { return text_ != nullptr; }
  void send() const {
    if (text_ != nullptr) log_text(text_, size_);
  }

 private:
  char* text_;
  std::size_t size_ = 0;
  std::size_t end_ = kMessageBytes;
};

}  // namespace anycuda
