// What cannot be done yet, and is tried again by drain().
#pragma once

namespace anycuda::graph {

struct Later {
  Later* next = nullptr;

  Later() = default;
  virtual ~Later() = default;
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  // Whether it is done. Must not call drain().
  virtual bool done() noexcept = 0;
};

// drain.cc. Any thread; takes the object.
void do_later(Later* object) noexcept;

}  // namespace anycuda::graph
