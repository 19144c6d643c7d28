// SPDX-License-Identifier: Apache-2.0

// The version that a toolkit's version.json states. Pure, only libc, no allocation.
//
// Source: NVIDIA's installers: {"cuda": {"name": "CUDA SDK", "version": "12.9.1"}, ...}, a member
// for each component.
#pragma once

#include <string_view>

#include "anycuda/compat/version.h"

namespace anycuda {

// Unknown for another file, or if the version is stated more than once.
Version version_in_version_file(std::string_view text);

}  // namespace anycuda
