// SPDX-License-Identifier: Apache-2.0

// Translates options for each backend. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linker/inputs/check.h"

namespace anycuda::linker {

// The options of nvJitLinkCreate; without -arch if Options::arch is empty. Throws
// UnsupportedOptionError for options that nvJitLink of this version does not know.
std::vector<std::string> nvjitlink_options(const Options& options, Version version);

// The options of cuLinkCreate, without the logs.
struct DriverOption {
  unsigned key;  // CUjit_option
  std::uintptr_t value;
  const char* name;  // "CU_JIT_TARGET"
};
struct DriverOptions {
  std::vector<DriverOption> options;
  std::vector<std::string> warnings;
};
// `with_nvvm`: LTO-IR of CUDA 11 is among the inputs. Throws UnsupportedOptionError.
DriverOptions driver_options(const Options& options, bool with_nvvm);

// nvJitLinkInputType and CUjitInputType. Throw InputError for a type that the backend lacks.
unsigned nvjitlink_type(const Item& item, Version version);
unsigned driver_type(const Item& item);

}  // namespace anycuda::linker
