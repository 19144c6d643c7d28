// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/registration_log.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace anycuda::registration {
namespace {

// The first word of a record: its kind, the arguments that follow, its handle. Written last: while
// it is zero the record is incomplete.
constexpr std::uint64_t pack(unsigned kind, unsigned mask, std::uint32_t handle) {
  return std::uint64_t{kind} | std::uint64_t{mask} << 8 | std::uint64_t{handle} << 32;
}

// For an appender that was interrupted between two of its instructions. Yielding is not enough: a
// real-time thread (SCHED_FIFO) that yields runs before every ordinary one. (libc's nanosleep()
// would end a cancelled thread.)
void wait_a_moment() {
  const timespec moment = {0, 20000};
  syscall(SYS_nanosleep, &moment, nullptr);
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
  Words::Run run;
  std::size_t place = reserved_.load(std::memory_order_relaxed);
  do {
    if ((place & kClosed) != 0 || place + count >= Words::kCapacity) return false;
    // Room first: a place that is taken must be filled.
    run = words_.run(place);
    if (run.first != nullptr && count < run.count) continue;
    if (!words_.make(place) || !words_.make(place + count)) return false;
    run = words_.run(place);
  } while (!reserved_.compare_exchange_weak(place, place + 1 + count, std::memory_order_acq_rel));
  std::uint64_t across[1 + kMaxArguments];
  std::uint64_t* words = count < run.count ? run.first : across;
  std::size_t word = 1;
  for (unsigned i = 0; i < kMaxArguments; ++i) {
    if ((mask & 1U << i) != 0) words[word++] = record.arguments[i];
  }
  if (words == across) {
    for (word = 1; word <= count; ++word) words_[place + word] = across[word];
  }
  __atomic_store_n(run.first, pack(record.kind, mask, record.handle), __ATOMIC_RELEASE);
  return true;
}

bool Log::next(std::size_t* position, Record* record) const {
  if (*position >= size()) return false;
  const Words::Run run = words_.run(*position);
  if (run.first == nullptr) return false;  // what is reserved has its memory
  std::uint64_t head;
  while ((head = __atomic_load_n(run.first, __ATOMIC_ACQUIRE)) == 0) wait_a_moment();
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
  record->kind = head & 0xff;
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
  return reserved_.compare_exchange_strong(position, position | kClosed, std::memory_order_acq_rel);
}

void Log::release() { words_.release(); }

}  // namespace anycuda::registration
