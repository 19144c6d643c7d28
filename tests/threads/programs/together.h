// SPDX-License-Identifier: Apache-2.0

// Threads that do one thing at the same moment.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace anycuda::test {

// Calls action(i) in `count` threads, each spinning until all of them are there: what they do
// first, they do together.
template <typename Action>
void together(int count, Action action) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      waiting.fetch_sub(1);
      while (waiting.load() != 0) std::this_thread::yield();
      action(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace anycuda::test
