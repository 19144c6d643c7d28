// SPDX-License-Identifier: Apache-2.0

// PTX as text: `.version 8.4`, then `.target sm_90a`.
#pragma once

#include "device_code/entry.h"

namespace anycuda::device_code {

struct PtxHeader {
  Version version;  // not known: the text is not PTX
  std::uint32_t architecture = 0;
  char target = 0;
  std::size_t size = 0;  // of these two lines
};

// Of a text that begins with `.version`.
PtxHeader read_ptx_header(Bytes text);

// The position of a text's `.version`, after blanks and comments; `size` if the text begins
// otherwise.
std::size_t find_ptx(Bytes text);

}  // namespace anycuda::device_code
