// SPDX-License-Identifier: Apache-2.0
#include "graph/later.h"

#include <atomic>
#include <memory>

namespace anycuda::graph {
namespace {

// A queue by age. Without a destructor: objects of static lifetime may be destroyed after this
// thread's own.
struct Queue {
  Later* first = nullptr;
  Later* last = nullptr;
  std::size_t count = 0;

  void push(Later* one) noexcept {
    one->next = nullptr;
    (first == nullptr ? first : last->next) = one;
    last = one;
    ++count;
  }
  Later* pop() noexcept {
    Later* const one = first;
    first = one->next;
    --count;
    return one;
  }
};
thread_local Queue own;

// What threads have left that have ended. Lock-free: a thread may end in a child process whose
// parent held a lock at fork().
std::atomic<Later*> left{nullptr};
std::atomic<std::size_t> left_count{0};

void leave(Later* one) noexcept {
  left_count.fetch_add(1, std::memory_order_relaxed);
  push(&left, one);
}

thread_local bool thread_ends = false;
struct AtThreadEnd {
  bool used = false;
  ~AtThreadEnd() {
    thread_ends = true;
    while (own.first != nullptr) leave(own.pop());
  }
};
thread_local AtThreadEnd at_thread_end;

// Deletes `one` if it is done.
bool try_one(Later* one) noexcept {
  if (!one->done()) return false;
  const std::unique_ptr<Later> over(one);  // deleters may run
  return true;
}

void try_left() noexcept {
  Later* one = left.exchange(nullptr, std::memory_order_acquire);
  while (one != nullptr) {
    Later* const next = one->next;
    left_count.fetch_sub(1, std::memory_order_relaxed);
    if (!try_one(one)) leave(one);
    one = next;
  }
}

}  // namespace

void do_later(Later* object) noexcept {
  if (thread_ends) return leave(object);
  at_thread_end.used = true;  // constructs it
  own.push(object);
}

std::size_t later_count(TryLater which) noexcept {
  return own.count + (which == TryLater::all ? left_count.load(std::memory_order_relaxed) : 0);
}

void try_later(TryLater which) noexcept {
  std::size_t tries = which == TryLater::all ? own.count : own.count != 0;
  for (; tries != 0 && own.count != 0; --tries) {
    Later* const one = own.pop();
    if (!try_one(one)) own.push(one);
  }
  if (which == TryLater::all) try_left();
}

}  // namespace anycuda::graph
