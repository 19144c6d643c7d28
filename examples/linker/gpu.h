// SPDX-License-Identifier: Apache-2.0

// The first GPU, by the driver's functions.
#pragma once

#include <string>

namespace example {

class Gpu {
 public:
  std::string open();                         // why it is not usable, "" if it is
  std::string arch() const { return arch_; }  // "sm_90"
  bool weighs(const std::string& cubin);      // the kernel `weigh` gives the right numbers

 private:
  std::string arch_;
};

}  // namespace example
