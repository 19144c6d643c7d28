// SPDX-License-Identifier: Apache-2.0

// The keys of results: everything that decides them, as bytes.
#pragma once

#include <string>
#include <vector>

#include "anycuda/linker/which_backend.h"
#include "linker/cache/problem.h"
#include "linker/inputs/check.h"
#include "linker/inputs/source.h"

namespace anycuda::linker {

struct Key {
  std::string bytes = {};
  Problem problem = Problem::none;  // else the result is not cacheable
};

// Which library makes the result.
struct Maker {
  std::string name;
  Version version;
  std::string build;
};
Maker nvrtc_maker(const std::string& path, Version version);

// `options`: as passed to NVRTC. `files`: of the caller, changes with the files on disk.
Key compile_key(const Source& source, const std::vector<std::string>& options, Output output,
                const Maker& maker, const std::string& files);

// `arguments`: the options as passed to the backend; without an architecture the driver's linker
// takes that of the current device. Reads the input files: their content is in the key, their path
// and time are not.
Key link_key(const std::vector<Item>& items, const Options& options, const BackendReport& report,
             const std::vector<std::string>& arguments);

}  // namespace anycuda::linker
