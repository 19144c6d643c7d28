// SPDX-License-Identifier: Apache-2.0

// The configuration of a virtual environment. Input: its pyvenv.cfg.
#include "compat/search/machine/pyvenv.h"

#include <cstdint>
#include <string_view>

#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const anycuda::Pyvenv found = anycuda::parse_pyvenv(text);
  for (const std::string_view part : {found.home, found.version}) {
    const bool inside = part.empty() || (part.data() >= text.data() &&
                                         part.data() + part.size() <= text.data() + text.size());
    anycuda::fuzz::must(inside, "what it says is a part of the text");
    anycuda::fuzz::must(part.find('\n') == std::string_view::npos, "and of one line");
  }
  return 0;
}
