// SPDX-License-Identifier: Apache-2.0

// The name and version of an installed Python distribution, and the pins of a metapackage. Pure,
// only libc, no allocation: all texts are parts of the given ones.
//
// Sources: Python packaging, "Recording installed projects" (the .dist-info folder), "Core
// metadata" (METADATA), "Names and normalization" (PEP 503), "Dependency specifiers" (PEP 508).
#pragma once

#include <string_view>

namespace anycuda {

struct Distribution {
  std::string_view name;
  std::string_view version;  // both empty: the text has neither
};

// Of "nvidia_cuda_runtime_cu12-12.9.79.dist-info".
Distribution parse_dist_info(std::string_view folder);
// Of METADATA's fields Name and Version.
Distribution parse_metadata(std::string_view metadata);

// Are two names of one distribution? Upper and lower case are the same, and so are runs of "-", "_"
// and ".".
bool same_distribution(std::string_view a, std::string_view b);
// Does the name begin so? `prefix` is normalised and without such signs ("nvidia").
bool named_like(std::string_view name, std::string_view prefix);

// Does the name begin like those of a CUDA Toolkit's components, nvidia-... and cuda-...?
bool is_of_nvidia(std::string_view name);

// `nvidia-cublas==13.1.0.3.*; extra == "cublas"`
struct Requirement {
  std::string_view name;       // empty: the text is not a requirement
  std::string_view specifier;  // "==13.1.0.3.*"; empty for any version, and for one by URL
};
Requirement parse_requirement(std::string_view text);

enum class Pin : char {
  none,         // not pinned: releases of several toolkits may satisfy it
  unsatisfied,  // pinned to other versions
  satisfied
};

// How `metadata`, of a metapackage, pins `distribution` in its fields Requires-Dist. Only a
// requirement whose versions all begin with the same two numbers is a pin. Other releases' satisfy
// a wider one ("nvidia-cublas>=13", "nvidia-nvjitlink<14,>=13.2.78") as well. Environment markers
// are ignored: the metapackage belongs to the same toolkit on every system.
Pin pin_of(std::string_view metadata, const Distribution& distribution);

}  // namespace anycuda
