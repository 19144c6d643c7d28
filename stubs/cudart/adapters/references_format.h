// SPDX-License-Identifier: Apache-2.0

// The format of an element of a texture or surface, in the driver's terms.
#pragma once

#include "cudart_adapters.h"

namespace anycuda::references {

struct Format {
  driver::CUarray_format format;
  unsigned channels;

  bool operator==(const Format& other) const {
    return format == other.format && channels == other.channels;
  }
};

// The format of a channel descriptor in the runtime of 11.8; false: it is invalid.
bool format_of(const v11::cudaChannelFormatDesc& desc, Format* format);
// Does the runtime of 11.8 know that format?
bool known(const Format& format);
// Bytes that are read at once, if integers are read as fractions.
unsigned bytes_of(driver::CUarray_format format);

}  // namespace anycuda::references
