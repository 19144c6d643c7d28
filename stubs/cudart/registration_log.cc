// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/registration_log.h"

namespace anycuda::registration {
namespace {

// The first word of a record, its head: a kind, which arguments follow, the handle. The appender
// that puts a head into a free word (zero) has taken the place there, and everybody knows how long
// its record is. Once the arguments are written, the complete head replaces the first one. So no
// instruction of an appender leaves a log that cannot be read to its end: after a fork the child
// does not have the threads that were appending.
constexpr unsigned kWriting = 0xfe;  // in place of the kind: incomplete
constexpr unsigned kSkipped = 0xff;  // in place of the kind: the reader has not waited for it
static_assert(kKindCount <= kWriting);
constexpr unsigned kMaskBits = kMaxArguments;

constexpr std::uint64_t pack(unsigned kind, unsigned mask, std::uint32_t handle) {
  return std::uint64_t{kind} | std::uint64_t{mask} << 8 | std::uint64_t{handle} << 32;
}
constexpr unsigned kind_of(std::uint64_t head) { return head & 0xff; }
constexpr unsigned mask_of(std::uint64_t head) { return head >> 8 & ((1U << kMaskBits) - 1); }

// The incomplete head, a different one for each appender: `own` is an object on its stack. The
// words of a released log are free again, so two late appenders may put a head into one place.
std::uint64_t writing_head(unsigned mask, const std::uint64_t* own) {
  const auto address = reinterpret_cast<std::uintptr_t>(own) / sizeof *own;
  return pack(kWriting, mask, 0) | std::uint64_t{address} << (8 + kMaskBits);
}

// The words of the record, with its head.
std::size_t length_of(std::uint64_t head) {
  std::size_t length = 1;
  for (unsigned mask = mask_of(head); mask != 0; mask &= mask - 1) ++length;
  return length;
}

// False: the word is another one, *seen.
bool replace(std::uint64_t* word, std::uint64_t* seen, std::uint64_t by) {
  return __atomic_compare_exchange_n(word, seen, by, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

}  // namespace

bool Log::append(const Record& record) {
  unsigned mask = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < kMaxArguments; ++i) {
    if (record.arguments[i] == implied_argument(record.kind, i, record.arguments)) continue;
    mask |= 1U << i;
    ++count;
  }
  std::uint64_t across[1 + kMaxArguments];
  const std::uint64_t writing = writing_head(mask, across);
  for (;;) {
    const std::size_t place = end_.load(std::memory_order_acquire);
    if ((place & kClosed) != 0 || place + count >= Words::kCapacity) return false;
    Words::Run run = words_.run(place);
    if (run.first == nullptr || count >= run.count) {
      if (!words_.make(place) || !words_.make(place + count)) return false;
      run = words_.run(place);
    }
    std::uint64_t head = 0;
    const bool is_mine = replace(run.first, &head, writing);
    // The appender that has taken this place may have stopped: others count its record, too.
    const std::size_t behind = place + (is_mine ? 1 + count : length_of(head));
    std::size_t end = place;
    const bool moved = end_.compare_exchange_strong(end, behind, std::memory_order_acq_rel);
    if (!is_mine) continue;
    // The log was closed without the record, or after the reader had skipped it.
    if (!moved && (end & kClosed) != 0) return false;
    std::uint64_t* words = count < run.count ? run.first : across;
    std::size_t word = 1;
    for (unsigned i = 0; i < kMaxArguments; ++i) {
      if ((mask & 1U << i) != 0) words[word++] = record.arguments[i];
    }
    if (words == across) {
      for (word = 1; word <= count; ++word) words_[place + word] = across[word];
    }
    head = writing;
    if (replace(run.first, &head, pack(record.kind, mask, record.handle))) return true;
    // Skipped: it is appended once more.
  }
}

bool Log::next(std::size_t* position, Record* record) const {
  Words::Run run;
  std::uint64_t head = 0;
  for (;; *position += length_of(head)) {
    if (*position >= size()) return false;
    run = words_.run(*position);
    if (run.first == nullptr) return false;  // what has a head has its memory
    head = __atomic_load_n(run.first, __ATOMIC_ACQUIRE);
    if (kind_of(head) == kWriting) {
      replace(run.first, &head, pack(kSkipped, mask_of(head), 0));
    }
    if (kind_of(head) < kKindCount) break;
  }
  std::uint64_t across[1 + kMaxArguments];
  const std::uint64_t* words = run.first;
  if (run.count <= kMaxArguments) {
    words = across;
    std::size_t word = 1;
    for (unsigned i = 0; i < kMaxArguments; ++i) {
      if ((head >> (8 + i) & 1) == 0) continue;
      across[word] = words_[*position + word];
      ++word;
    }
  }
  record->kind = kind_of(head);
  record->handle = static_cast<std::uint32_t>(head >> 32);
  std::size_t word = 1;
  for (unsigned i = 0; i < kMaxArguments; ++i) {
    const bool written = (head >> (8 + i) & 1) != 0;
    record->arguments[i] =
        written ? words[word++] : implied_argument(record->kind, i, record->arguments);
  }
  *position += word;
  return true;
}

bool Log::close_at(std::size_t position) {
  return end_.compare_exchange_strong(position, position | kClosed, std::memory_order_acq_rel);
}

void Log::release() { words_.release(); }

}  // namespace anycuda::registration
