// SPDX-License-Identifier: Apache-2.0

// A program built for one CUDA major that calls nvJitLink (steps.h).
#include <nvJitLink.h>

#include "steps.h"

namespace {

std::string create(const std::string&) {
  auto linker = reinterpret_cast<nvJitLinkHandle>(&create);
  const char* options[] = {"-arch=sm_90"};
  const std::string result =
      steps::status("create", [&] { return nvJitLinkCreate(&linker, 1, options); });
  return result + (linker == nullptr ? " null" : " not null");
}

}  // namespace

int main(int argc, char** argv) { return steps::make_all(argc, argv, {{"create", create}}); }
