// SPDX-License-Identifier: Apache-2.0

// Memory for one search: pages are taken at once and released at once, so the paths out of a search
// need not free single objects.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <string_view>

namespace anycuda {

class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  bool usable() const { return base_ != nullptr; }
  // Hidden: there are many calls, and each is a byte shorter.

  // Zeroed, aligned to 16; nullptr once the arena is full.
  [[gnu::visibility("hidden")]] void* take(std::size_t size);
  // The same with undefined contents, for memory that is overwritten as a whole.
  [[gnu::visibility("hidden")]] void* take_raw(std::size_t size);
  // Releases the memory that was taken since `mark` was read.
  std::size_t mark() const { return used_; }
  [[gnu::visibility("hidden")]] void rewind(std::size_t mark);
  [[gnu::visibility("hidden")]] const char* copy(const char* text);
  [[gnu::visibility("hidden")]] const char* copy(std::string_view text);
  // `first` + '/' + `second`; nullptr if it does not fit, or if `first` did not.
  [[gnu::visibility("hidden")]] const char* join(const char* first, const char* second);
  [[gnu::visibility("hidden")]] const char* format(const char* text, ...)
      __attribute__((format(printf, 2, 3)));

 private:
  friend class ArenaReserve;
  friend class Scratch;
  [[gnu::visibility("hidden")]] char* borrow(std::size_t size);
  [[gnu::visibility("hidden")]] void give_back(char* place);

  char* base_;
  std::size_t size_;
  std::size_t used_ = 0;
  std::size_t borrowed_ = 0;  // of the room for Scratch
  std::size_t written_ = 0;   // the memory after it was never taken, and is zero
  bool is_short_ = false;     // the process had not enough memory for a whole one
};

// A buffer for the time it lives, with undefined contents: for paths and for lists of entries,
// which would take a page of a small stack each. It comes from a part of the arena that take()
// leaves alone, and the last one made is the first to go.
class Scratch {
 public:
  explicit Scratch(Arena* arena, std::size_t size = kPath)
      : arena_(*arena), text_(arena_.borrow(size)) {}
  ~Scratch() { arena_.give_back(text_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  static constexpr std::size_t kPath = 4096;  // PATH_MAX
  // nullptr: no memory.
  char* text() const { return text_; }

 private:
  Arena& arena_;
  char* text_;
};

// While it lives, take() leaves that many bytes untouched: the steps after the search need memory
// even if the search has filled the arena.
class ArenaReserve {
 public:
  ArenaReserve(Arena* arena, std::size_t bytes) : arena_(*arena), bytes_(bytes) {
    const std::size_t left = arena_.size_ - arena_.used_;
    if (bytes_ > left) bytes_ = left;
    arena_.size_ -= bytes_;
  }
  ~ArenaReserve() { arena_.size_ += bytes_; }
  ArenaReserve(const ArenaReserve&) = delete;
  ArenaReserve& operator=(const ArenaReserve&) = delete;

 private:
  Arena& arena_;
  std::size_t bytes_;
};

}  // namespace anycuda
