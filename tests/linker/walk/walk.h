// SPDX-License-Identifier: Apache-2.0

// A random walk over the Linker's public API: links of random inputs with random options, and all
// that can be done with a Linker before and after. Also for a machine with a GPU
// (tests/gpu/linker).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forms.h"

namespace walk {

struct Plan {
  std::vector<Form> forms;
  std::vector<std::string> archs;  // one of them for each link; "" is the current device's
  std::string folder;              // for inputs that are files
  std::uint64_t seed = 1;
  double seconds = 0;         // or
  long steps = 0;             // whichever is reached first; 0: without limit
  std::string story;          // a file that says, if the process ends, what it was doing; "": none
  bool driver_gives = false;  // the driver's linker is a real one: its result is looked into
  // Whether a CUBIN that came out for archs.front() can be loaded: "", or why not. Empty: not
  // tried.
  std::function<std::string(const std::string& cubin)> load;
};

struct Tally {
  long steps = 0;
  long good = 0;      // links
  long refused = 0;   // by the Linker, with a reason
  long failed = 0;    // by a backend, with a log
  std::string wrong;  // what must not be, and how it came; "" where all is well
};

Tally walk(const Plan& plan);

// "seed 7: 900 steps, ..." in one line.
std::string told(const Plan& plan, const Tally& tally);

}  // namespace walk
