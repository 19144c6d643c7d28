// What an element of a texture or surface is, as the driver says it.
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

// The format that a channel descriptor means in the runtime of 11.8; false: it means none.
bool format_of(const v11::cudaChannelFormatDesc& desc, Format* format);
// Does the runtime of 11.8 know that format?
bool known(const Format& format);
// Bytes of what is read at once where integers are read as fractions.
unsigned bytes_of(driver::CUarray_format format);

}  // namespace anycuda::references
