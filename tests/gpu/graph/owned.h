// SPDX-License-Identifier: Apache-2.0

// Owners whose life is counted.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "anycuda/graph/drain.h"
#include "anycuda/graph/owner.h"
#include "common/check.h"

namespace gputest {

using anycuda::graph::OpaqueHandle;

// What became of one owner.
class Life {
 public:
  // The owner: counted when its last holder releases it. `kept` is released with it.
  OpaqueHandle owner(OpaqueHandle kept = nullptr);
  OpaqueHandle owner_that(std::function<void()> does_at_the_end);
  int freed() const { return *freed_; }
  bool alive() const { return freed() == 0 && !watch_.expired(); }
  long holders() const { return watch_.use_count(); }

 private:
  std::shared_ptr<std::atomic<int>> freed_ = std::make_shared<std::atomic<int>>(0);
  std::weak_ptr<const void> watch_;
};

// The driver releases owners on another thread, some time later: drains until `is_so` is true, for
// at most ten seconds.
bool eventually(const std::function<bool()>& is_so);
// Waits for the driver to finish, then drains: owners that are alive then are held.
void settle();

}  // namespace gputest
