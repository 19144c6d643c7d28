#include "stubs/cudart/registration_log.h"

#include <sched.h>
#include <sys/mman.h>

#include "compat/base/reserve.h"

namespace anycuda::registration {
namespace {

// Room for two and a half million ordinary kernels; for two and a half thousand at least.
constexpr std::size_t kMost = std::size_t{64} << 20;
constexpr std::size_t kLeast = std::size_t{64} << 10;

// The word before the first one tells how many there are, itself included.
std::size_t capacity(const std::uint64_t* words) { return words[-1]; }

// The first word of a record: kind, which arguments follow, whose handle. Written last: while it
// is zero the record is not there yet.
constexpr std::uint64_t pack(unsigned kind, unsigned mask, std::uint32_t handle) {
  return std::uint64_t{kind} | std::uint64_t{mask} << 8 | std::uint64_t{handle} << 32;
}

}  // namespace

std::uint64_t* Log::words() {
  std::uint64_t* words = words_.load(std::memory_order_acquire);
  if (words != nullptr) return words;
  const Stretch mine = reserve(kMost, kLeast);
  if (mine.start == nullptr) return nullptr;
  std::uint64_t* first = static_cast<std::uint64_t*>(mine.start) + 1;
  first[-1] = mine.bytes / sizeof(std::uint64_t);
  if (words_.compare_exchange_strong(words, first, std::memory_order_acq_rel)) return first;
  munmap(mine.start, mine.bytes);
  return words;
}

bool Log::append(const Record& record) {
  unsigned mask = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < kMaxArguments; ++i) {
    if (record.arguments[i] == implied_argument(record.kind, i, record.arguments)) continue;
    mask |= 1U << i;
    ++count;
  }
  std::uint64_t* words = this->words();
  if (words == nullptr) return false;
  std::size_t place = reserved_.load(std::memory_order_relaxed);
  do {
    // (A capacity of 0 is that of a log closed and released since `place` was read: try again.)
    if ((place & kClosed) != 0 || place + 1 + count > capacity(words) - 1) return false;
  } while (!reserved_.compare_exchange_weak(place, place + 1 + count, std::memory_order_acq_rel));
  std::size_t word = place + 1;
  for (unsigned i = 0; i < kMaxArguments; ++i) {
    if ((mask & 1U << i) != 0) words[word++] = record.arguments[i];
  }
  __atomic_store_n(&words[place], pack(record.kind, mask, record.handle), __ATOMIC_RELEASE);
  return true;
}

bool Log::next(std::size_t* position, Record* record) const {
  if (*position >= size()) return false;
  const std::uint64_t* words = words_.load(std::memory_order_acquire);
  std::uint64_t head;
  while ((head = __atomic_load_n(&words[*position], __ATOMIC_ACQUIRE)) == 0) sched_yield();
  record->kind = head & 0xff;
  record->handle = static_cast<std::uint32_t>(head >> 32);
  std::size_t word = *position + 1;
  for (unsigned i = 0; i < kMaxArguments; ++i) {
    const bool written = (head >> (8 + i) & 1) != 0;
    record->arguments[i] =
        written ? words[word++] : implied_argument(record->kind, i, record->arguments);
  }
  *position = word;
  return true;
}

bool Log::close_at(std::size_t position) {
  return reserved_.compare_exchange_strong(position, position | kClosed, std::memory_order_acq_rel);
}

void Log::release() {
  std::uint64_t* words = words_.load(std::memory_order_acquire);
  if (words == nullptr) return;
  madvise(words - 1, capacity(words) * sizeof(std::uint64_t), MADV_DONTNEED);
}

}  // namespace anycuda::registration
