// SPDX-License-Identifier: Apache-2.0

// A random walk over the public API of anycuda::graph, with raw driver calls in between, against a
// model of the owners that must be alive. One source for the fake driver and for a real one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace walk {

// The machine that the walk runs on.
struct Machine {
  const void* image = "image";  // for Kernel::load
  const char* kernel = "add";   // of (int* to, const int* from, int value, int count)
  std::function<void()> begin_thread = [] {};
  bool holds_launches = false;  // a launch runs until its stream is waited for
  // Empty, or what is wrong: handles that were used after their end; anything left at the end.
  std::function<std::string()> misuse = [] { return std::string(); };
  std::function<std::string()> left_over = [] { return std::string(); };
};

struct Options {
  std::size_t steps = 3000;  // of each thread
  double seconds = 0;        // instead of steps, where it is not 0
  unsigned long seed = 1;
  unsigned threads = 1;
};

// Fills options from arguments; false, and a message, where one is not understood.
bool parse(int argc, char** argv, Options* options);

// Prints the seed, the steps and how often each operation succeeded and was refused. True if all is
// as the model says.
bool run(const Machine& machine, const Options& options);

}  // namespace walk
