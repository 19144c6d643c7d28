// SPDX-License-Identifier: Apache-2.0

// Which build of a library this process has loaded.
#pragma once

#include <string>

namespace anycuda::linker {

// The build ID in hexadecimal digits of the loaded library with this path or SONAME; without a
// build ID, the size and the time of its file; "" if it is not loaded. All of NVIDIA's libraries
// have a build ID (NVRTC and nvJitLink 12.3 to 13.5, driver 550). Two builds of one version differ
// in it, and a copy at another path does not.
std::string build_of(const std::string& library);

// The same for a library that may not be loaded yet: of the loaded one with this name, else of the
// file with this name beside `neighbour`.
std::string build_of_neighbour(const std::string& name, const std::string& neighbour);

}  // namespace anycuda::linker
