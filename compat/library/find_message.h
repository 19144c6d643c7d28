// SPDX-License-Identifier: Apache-2.0

// The text of a NotFoundError.
#pragma once

#include <string>
#include <vector>

#include "anycuda/compat/errors.h"
#include "compat/library/find_file.h"
#include "compat/library/find_locations.h"

namespace anycuda::compat {

// A file that exists and is not usable, or a program that may not be run.
struct PassedFile {
  std::string path;
  FileAnswer answer;
};

// "/usr/bin/nvcc is not executable for this user ...".
std::string describe_passed(const PassedFile& file);

NotFoundError not_found(const Component& component, const SearchLocations& looked,
                        const std::vector<PassedFile>& passed);

}  // namespace anycuda::compat
