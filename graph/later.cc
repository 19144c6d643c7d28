// SPDX-License-Identifier: Apache-2.0
#include "graph/later.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace anycuda::graph {
namespace {

// Constant-initialised and without destructors, like the list of retired owners (drain.cc).
std::mutex lock;
Later* first = nullptr;  // by age
Later** end = &first;
std::atomic<std::size_t> count{0};

// A number for each thread that leaves work here. Work of a thread that has ended is anyone's.
class ThisThread {
 public:
  std::uint64_t number() noexcept {
    if (number_ == 0) number_ = ++last;
    return number_;
  }
  ~ThisThread();

 private:
  static std::atomic<std::uint64_t> last;
  std::uint64_t number_ = 0;
};
std::atomic<std::uint64_t> ThisThread::last{0};

// Executable graphs of static lifetime may be destroyed after the objects of the main thread.
thread_local bool thread_ends = false;
thread_local ThisThread this_thread;

std::uint64_t this_thread_number() noexcept { return thread_ends ? 0 : this_thread.number(); }

ThisThread::~ThisThread() {
  thread_ends = true;
  const std::lock_guard<std::mutex> locked(lock);
  for (Later* one = first; one != nullptr; one = one->next) {
    if (one->thread == number_) one->thread = 0;
  }
}

void append(Later* one) noexcept {
  one->next = nullptr;
  *end = one;
  end = &one->next;
}

// Tries the oldest ones; those that cannot be done yet become the newest. Returns the others.
Later* take_done(std::size_t most) noexcept {
  const std::uint64_t here = this_thread_number();
  Later* all_done = nullptr;
  for (; most != 0; --most) {
    Later* const one = first;
    first = one->next;
    if (first == nullptr) end = &first;
    const bool others_run = one->thread != 0 && one->thread != here;
    if (!one->done(others_run)) {
      append(one);
      continue;
    }
    --count;
    one->next = all_done;
    all_done = one;
  }
  return all_done;
}

}  // namespace

void do_later(Later* object) noexcept {
  object->thread = this_thread_number();
  const std::lock_guard<std::mutex> locked(lock);
  append(object);
  ++count;
}

std::size_t later_count() noexcept { return count.load(std::memory_order_relaxed); }

void try_later(TryLater which) noexcept {
  if (later_count() == 0) return;
  std::unique_lock<std::mutex> locked(lock, std::defer_lock);
  if (which == TryLater::all) {
    locked.lock();
  } else if (!locked.try_lock()) {
    return;
  }
  const std::size_t most = which == TryLater::all ? SIZE_MAX : 1;
  Later* all_done = take_done(std::min<std::size_t>(most, count));
  locked.unlock();
  while (all_done != nullptr) {  // deleters may run
    const std::unique_ptr<Later> one(all_done);
    all_done = one->next;
  }
}

}  // namespace anycuda::graph
