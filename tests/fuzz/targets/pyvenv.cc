// SPDX-License-Identifier: Apache-2.0

// The configuration of a virtual environment. Input: its pyvenv.cfg.
#include "compat/search/machine/pyvenv.h"

#include <cstdint>
#include <string>

#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  anycuda::is_closed(text);
  constexpr char kClosed[] = "\ninclude-system-site-packages = false\n";
  anycuda::fuzz::must(anycuda::is_closed(text + kClosed), "the last line counts");
  return 0;
}
