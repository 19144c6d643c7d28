// SPDX-License-Identifier: Apache-2.0

// Work that must wait for the GPU: each drain() tries it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anycuda::graph {

struct Later {
  Later* next = nullptr;
  std::uint64_t thread = 0;  // the thread that called do_later(); 0 once it has ended

  Later() = default;
  virtual ~Later() = default;
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  // Does the work, if it can be done now. May call the driver, but must not run a deleter: a lock
  // is held. `others_run`: this is not the thread that called do_later(), and that one runs.
  virtual bool done(bool others_run) noexcept = 0;
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
