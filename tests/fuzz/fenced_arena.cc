// SPDX-License-Identifier: Apache-2.0

// The loader's arena with fences for AddressSanitizer: without them, an access past one allocation
// would hit the next one unseen. Replaces compat/base/arena.cc.
#include "compat/base/arena.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace anycuda {
namespace {

constexpr std::size_t kSize = std::size_t{16} << 20;
constexpr std::size_t kFence = 16;

// Fencing off so many pages takes long: what an arena leaves is the next one's. All fences, zeros
// beneath. (A fuzz target has one thread.)
char* left_over = nullptr;

char* fresh_pages() {
  void* pages = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  ASAN_POISON_MEMORY_REGION(pages, kSize);
  return static_cast<char*>(pages);
}

}  // namespace

Arena::Arena() : base_(left_over != nullptr ? left_over : fresh_pages()), size_(kSize) {
  left_over = nullptr;
}

Arena::~Arena() {
  if (base_ == nullptr) return;
  rewind(0);
  if (left_over == nullptr) {
    left_over = base_;
    return;
  }
  ASAN_UNPOISON_MEMORY_REGION(base_, size_);
  munmap(base_, size_);
}

void* Arena::take(std::size_t size) {
  if (base_ == nullptr || size > size_ - used_) return nullptr;
  const std::size_t rounded = (size + 15) / 16 * 16 + kFence;
  if (rounded > size_ - used_) return nullptr;
  char* place = base_ + used_;
  used_ += rounded;
  ASAN_UNPOISON_MEMORY_REGION(place, size);
  return place;
}

// Whoever takes raw memory for zeroed finds something else.
void* Arena::take_raw(std::size_t size) {
  void* place = take(size);
  if (place != nullptr) std::memset(place, 0xa5, size);
  return place;
}

void Arena::rewind(std::size_t mark) {
  if (mark >= used_) return;
  ASAN_UNPOISON_MEMORY_REGION(base_ + mark, used_ - mark);
  std::memset(base_ + mark, 0, used_ - mark);
  ASAN_POISON_MEMORY_REGION(base_ + mark, used_ - mark);
  used_ = mark;
}

char* Arena::borrow(std::size_t size) { return static_cast<char*>(std::malloc(size)); }

void Arena::give_back(char* place) { std::free(place); }

const char* Arena::copy(const char* text) { return format("%s", text); }

const char* Arena::copy(std::string_view text) {
  return format("%.*s", static_cast<int>(text.size()), text.data());
}

const char* Arena::join(const char* first, const char* second) {
  return format("%s/%s", first, second);
}

const char* Arena::format(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, text, arguments);
  va_end(arguments);
  const std::size_t size = static_cast<std::size_t>(length < 0 ? 0 : length) + 1;
  char* place = length < 0 ? nullptr : static_cast<char*>(take(size));
  if (place != nullptr) std::vsnprintf(place, size, text, again);
  va_end(again);
  return place;
}

}  // namespace anycuda
