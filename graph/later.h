// SPDX-License-Identifier: Apache-2.0

// Work that must wait for the GPU. Each thread does its own: the call that left it here came from
// this thread, so the program expects its driver calls there (running_execs.h).
#pragma once

#include <atomic>
#include <cstddef>

namespace anycuda::graph {

struct Later {
  Later* next = nullptr;

  Later() = default;
  virtual ~Later() = default;
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  // Does the work, if it can be done now. May call the driver, but must not run a deleter.
  virtual bool done() noexcept = 0;
};

// Takes the object, and deletes it after done().
void do_later(Later* object) noexcept;

// What a call on this thread tries: the oldest object of this thread, or all of them and those of
// threads that have ended.
enum class TryLater : bool { one, all };
// How many there are.
std::size_t later_count(TryLater which) noexcept;
void try_later(TryLater which) noexcept;

// Puts an object onto a list, linked by `next`, that any thread adds to: without a lock, an
// allocation or CUDA. A reader takes the whole list at once, so no element can return to the list
// while it is being read.
template <typename Object>
void push(std::atomic<Object*>* list, Object* one) noexcept {
  one->next = list->load(std::memory_order_relaxed);
  while (!list->compare_exchange_weak(one->next, one, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
}

}  // namespace anycuda::graph
