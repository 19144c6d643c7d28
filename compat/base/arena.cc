// SPDX-License-Identifier: Apache-2.0
#include "compat/base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "compat/base/reserve.h"
#include "compat/base/shortage.h"

namespace anycuda {

namespace {
constexpr std::size_t kMost = std::size_t{16} << 20;
constexpr std::size_t kLeast = std::size_t{512} << 10;
constexpr std::size_t kAlignment = 16;
constexpr std::size_t kScratch = 16 * Scratch::kPath;
}  // namespace

Arena::Arena() {
  const Stretch stretch = reserve(kMost, kLeast);
  is_short_ = stretch.bytes < kMost;
  const bool usable = stretch.start != nullptr;
  base_ = usable ? static_cast<char*>(stretch.start) + kScratch : nullptr;
  size_ = usable ? stretch.bytes - kScratch : 0;
  if (!usable) note_shortage(ENOMEM);
}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_ - kScratch, size_ + kScratch);
}

void* Arena::take(std::size_t size) {
  const std::size_t start = used_;
  void* place = take_raw(size);
  if (place != nullptr && start < written_) {
    std::memset(place, 0, std::min(used_, written_) - start);
  }
  return place;
}

void* Arena::take_raw(std::size_t size) {
  const std::size_t left = size_ - used_;
  const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  if (base_ == nullptr || size > left || rounded > left) {
    // A whole arena is full of too many files, which another search would find, too.
    if (is_short_) note_shortage(ENOMEM);
    return nullptr;
  }
  void* place = base_ + used_;
  used_ += rounded;
  return place;
}

void Arena::rewind(std::size_t mark) {
  if (mark >= used_) return;
  written_ = std::max(written_, used_);
  used_ = mark;
}

char* Arena::borrow(std::size_t size) {
  if (base_ == nullptr || size > kScratch - borrowed_) return nullptr;
  char* place = base_ - kScratch + borrowed_;
  borrowed_ += size;
  return place;
}

void Arena::give_back(char* place) {
  if (place != nullptr) borrowed_ = static_cast<std::size_t>(place - (base_ - kScratch));
}

const char* Arena::copy(std::string_view text) {
  auto* place = static_cast<char*>(take_raw(text.size() + 1));
  if (place == nullptr) return nullptr;
  if (!text.empty()) std::memcpy(place, text.data(), text.size());
  place[text.size()] = '\0';
  return place;
}

const char* Arena::copy(const char* text) { return copy(std::string_view(text)); }

const char* Arena::join(const char* first, const char* second) {
  if (first == nullptr) return nullptr;
  const std::size_t length = std::strlen(first);
  const std::size_t size = std::strlen(second) + 1;
  auto* place = static_cast<char*>(take_raw(length + 1 + size));
  if (place == nullptr) return nullptr;
  std::memcpy(place, first, length);
  place[length] = '/';
  std::memcpy(place + length + 1, second, size);
  return place;
}

const char* Arena::format(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, text, arguments);
  va_end(arguments);
  char* place =
      length < 0 ? nullptr : static_cast<char*>(take(static_cast<std::size_t>(length) + 1));
  if (place != nullptr) std::vsnprintf(place, static_cast<std::size_t>(length) + 1, text, again);
  va_end(again);
  return place;
}

}  // namespace anycuda
