// SPDX-License-Identifier: Apache-2.0
#include "compat/search/toolkit/rpm/paged_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace anycuda {
namespace {

// A system with thousands of packages has some hundred megabytes.
constexpr std::size_t kMost = std::size_t{1} << 30;
// What may be read: a step for each byte or piece, more of them for each window that is loaded. A
// package has a thousand bytes or more, and takes a few hundred steps.
constexpr std::uint64_t kBytesForAStep = 2;
constexpr std::uint64_t kMore = std::uint64_t{1} << 20;
constexpr std::uint64_t kLoad = 64;

constexpr std::uint32_t kSmallestPage = 512, kLargestPage = 65536;
// Little-endian: "SQLi", and Berkeley DB's magic of hash databases.
constexpr std::uint32_t kSqliteMagic = 0x694c5153, kHashMagic = 0x061561;
// Berkeley DB: db_page.h, the header of a page.
constexpr std::uint32_t kHashHeader = 26;
constexpr std::uint32_t kOverflowPage = 7;

}  // namespace

TextState PagedFile::open(const char* path) {
  struct stat status;
  const TextState state = open_regular(path, &file_, &status, &error_);
  if (state != TextState::read) return state;
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > kMost) return TextState::too_large;
  allowed_ = size_ / kBytesForAStep + kMore;
  detect();
  return TextState::read;
}

void PagedFile::close() {
  if (file_ >= 0) ::close(file_);
}

void PagedFile::detect() {
  if (number(12, 4) == kHashMagic) {
    format_ = PageFormat::hash;
    page_size_ = usable_ = number(20, 4);
  } else if (number(0, 4) == kSqliteMagic) {
    format_ = PageFormat::sqlite;
    page_size_ = number(16, 2);
    if (page_size_ == 1) page_size_ = kLargestPage;
    usable_ = page_size_ - number(20, 1);
  }
  // sqlite's own limits.
  if (page_size_ < kSmallestPage || page_size_ > kLargestPage || usable_ < 480) fail();
}

std::uint64_t PagedFile::start_of(std::uint32_t page) const {
  return std::uint64_t{format_ == PageFormat::sqlite ? page - 1 : page} * page_size_;
}

// So many bytes at and after `at` are in the window.
std::uint32_t PagedFile::see(std::uint64_t at) {
  if (allowed_ <= kLoad) fail();
  if (failed_) return 0;
  --allowed_;
  if (at - start_ >= filled_) {
    allowed_ -= kLoad;
    start_ = at - at % kWindow;
    ssize_t got;
    do {
      got = pread(file_, window_, kWindow, static_cast<off_t>(start_));
    } while (got < 0 && errno == EINTR);
    filled_ = got > 0 ? static_cast<std::uint32_t>(got) : 0;
    if (at - start_ >= filled_) {
      fail();
      return 0;
    }
  }
  return static_cast<std::uint32_t>(start_ + filled_ - at);
}

std::uint32_t PagedFile::number(std::uint64_t at, int bytes) {
  std::uint32_t number = 0;
  for (int i = 0; i < bytes; ++i) {
    const int place = format_ == PageFormat::sqlite ? i : bytes - 1 - i;
    const std::uint64_t byte = at + static_cast<unsigned>(place);
    if (see(byte) == 0) return 0;
    number = number << 8 | window_[byte - start_];
  }
  return number;
}

void PagedFile::turn_page(PagedValue* value) {
  const std::uint64_t start = start_of(value->next);
  if (value->next == 0) fail();
  if (format_ == PageFormat::sqlite) {
    value->at = start + 4;
    value->here = usable_ - 4;
    value->next = number(start, 4);
    return;
  }
  value->at = start + kHashHeader;
  value->here = number(start + 22, 2);
  value->next = number(start + 16, 4);
  if (number(start + 25, 1) != kOverflowPage || value->here == 0) fail();
}

void PagedFile::take(PagedValue* value, char* to, std::uint32_t count) {
  taken_ += count;
  if (taken_ > size_) fail();  // each byte is of one value
  while (count > 0) {
    if (value->here == 0) turn_page(value);
    std::uint32_t part = see(value->at);
    if (part == 0) return;
    if (part > value->here) part = value->here;
    if (part > count) part = count;
    std::memcpy(to, window_ + (value->at - start_), part);
    to += part;
    count -= part;
    value->at += part;
    value->here -= part;
    value->left -= part;
  }
}

}  // namespace anycuda
