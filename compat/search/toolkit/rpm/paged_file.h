// SPDX-License-Identifier: Apache-2.0

// RPM's database: one file of pages, whose values may continue in other pages. It is only
// read, without locks, so that a program can never disturb the package manager. Any page may be
// broken or lead back to itself: reading is limited by the file's size, and a failure is final.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compat/base/text_file.h"

namespace anycuda {

enum class PageFormat : std::uint8_t { unknown, hash, sqlite };  // hash: of Berkeley DB

// The rest of a value, which is still to be read.
struct PagedValue {
  std::uint64_t at;    // of its next byte in the file
  std::uint32_t here;  // so many of them are in this page
  std::uint32_t next;  // page with those that follow
  std::uint32_t left;
};

// In memory that is zero.
class PagedFile {
 public:
  TextState open(const char* path);
  void close();
  int error() const { return error_; }  // errno of an `unreadable` one
  PageFormat format() const { return format_; }
  // Where a page begins; sqlite's first has the number 1, the first of Berkeley DB 0.
  std::uint64_t start_of(std::uint32_t page) const;
  std::uint64_t size() const { return size_; }
  std::uint32_t page_size() const { return page_size_; }
  std::uint32_t usable() const { return usable_; }  // bytes of a page that have content

  // Is all that was read there and valid?
  bool sound() const { return !failed_; }
  void fail() { failed_ = true; }
  // The number in the next 1 to 4 bytes, in the file's order; 0 if the file is not sound.
  std::uint32_t number(std::uint64_t at, int bytes);
  // Takes the value's next bytes, if the file stays sound.
  void take(PagedValue* value, char* to, std::uint32_t count);

 private:
  static constexpr std::uint32_t kWindow = 4096;

  void detect();
  void turn_page(PagedValue* value);
  std::uint32_t see(std::uint64_t at);

  int file_;
  int error_;
  bool failed_;
  PageFormat format_;
  std::uint32_t page_size_;
  std::uint32_t usable_;
  std::size_t size_;
  std::uint64_t allowed_;  // so many steps may still be made
  std::uint64_t taken_;    // bytes of values
  std::uint64_t start_;    // of the window in the file
  std::uint32_t filled_;
  unsigned char window_[kWindow];
};

}  // namespace anycuda
