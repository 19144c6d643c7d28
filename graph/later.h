// SPDX-License-Identifier: Apache-2.0

// Work that must wait for the GPU: each drain() tries it.
#pragma once

#include <cstddef>

namespace anycuda::graph {

struct Later {
  Later* next = nullptr;

  Later() = default;
  virtual ~Later() = default;
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  // Does the work, if it can be done now. May call the driver, but must not run a deleter: a lock
  // is held.
  virtual bool done() noexcept = 0;
};

// Any thread. Takes the object, and deletes it after done().
void do_later(Later* object) noexcept;

// How many objects are not done. Any thread.
std::size_t later_count() noexcept;

// `all`: when it returns, all work is done that could be done at the call, also if another thread
// was doing it. `one`: at most the oldest one, and nothing if another thread is here.
enum class TryLater : bool { one, all };
void try_later(TryLater which) noexcept;

}  // namespace anycuda::graph
