// SPDX-License-Identifier: Apache-2.0

// The kernels in a link's output.
#pragma once

#include <set>
#include <string>

#include "anycuda/linker/linker.h"

namespace walk {

std::set<std::string> kernels_of_cubin(const std::string& cubin);

// Of LTO-IR by linking it once more, to a CUBIN for `arch`.
std::set<std::string> kernels_of(const std::string& linked, anycuda::linker::Output output,
                                 const std::string& arch);

}  // namespace walk
