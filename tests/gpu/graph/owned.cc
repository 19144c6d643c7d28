// SPDX-License-Identifier: Apache-2.0
#include "graph/owned.h"

#include <chrono>
#include <thread>

namespace gputest {

namespace {
constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kPause = std::chrono::microseconds(20);
}  // namespace

OpaqueHandle Life::owner(OpaqueHandle kept) {
  return owner_that([kept = std::move(kept)]() mutable { kept.reset(); });
}

OpaqueHandle Life::owner_that(std::function<void()> does_at_the_end) {
  OpaqueHandle made(new char(0),
                    [freed = freed_, does = std::move(does_at_the_end)](const char* block) {
                      delete block;
                      if (does) does();
                      ++*freed;
                    });
  watch_ = made;
  return made;
}

bool eventually(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    anycuda::graph::drain();
    if (is_so()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
  }
}

void settle() {
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(kPause);
    anycuda::graph::drain();
  }
}

}  // namespace gputest
