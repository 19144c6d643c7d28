// SPDX-License-Identifier: Apache-2.0

// conda's record of an installed package: PREFIX/conda-meta/NAME-VERSION-BUILD.json.
// Pure, only libc, no allocation: all texts are parts of those that were given.
//
// Source: conda's PrefixRecord: "name", "version", "depends" (match specifications), "files" (paths
// below PREFIX).
#pragma once

#include "anycuda/compat/version.h"
#include "compat/metadata/records/distribution.h"

namespace anycuda {

// Of "cuda-cudart-12.9.79-h5888daf_0.json". Both empty for another name.
Distribution parse_conda_name(std::string_view file);

struct CondaRecord {
  bool good = false;      // JSON with a name, a version and files, each once
  Distribution named;     // its name and version
  bool lists = false;     // the path is among its files
  std::string_view need;  // ">=12.9,<12.10.0a0": the cuda-version that it depends on, or ""
  Version cuda;           // the release that `need` admits; unknown unless it admits exactly one
};

// `path`: below PREFIX, "lib/libcudart.so.12".
CondaRecord read_conda_record(std::string_view text, std::string_view path);

}  // namespace anycuda
