// SPDX-License-Identifier: Apache-2.0

// The common parts of the tests of a new library: where project/ has its outputs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/artifacts.h"

namespace anycuda::test {

using Path = std::filesystem::path;

inline const std::vector<std::string> kReleases = {"0.5", "0.7"};  // for CUDA 12, for CUDA 13

inline Path built(const Path& file) { return Path(NEW_LIBRARY_BUILD) / file; }
inline Path program(const std::string& kind, const std::string& release) {
  return built(Path(kind) / ("call_cudss-" + release));
}
inline Path stub() { return built("_deps/anycuda-build/lib/libcudss_stub.so"); }
inline Path dropin() { return built("_deps/anycuda-build/lib/dropin/libcudss.so.0"); }

// The file of the wheel.
inline Path real_library(const std::string& release) {
  const Path wheel = Artifacts::of_this_build().folder("cudss-" + release) / "nvidia";
  for (const auto& entry : std::filesystem::directory_iterator(wheel)) {
    if (exists(entry.path() / "lib/libcudss.so.0")) return entry.path() / "lib/libcudss.so.0";
  }
  throw MissingArtifact("no libcudss.so.0 in " + wheel.string());
}

}  // namespace anycuda::test
