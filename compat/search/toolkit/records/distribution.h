// What an installed Python distribution says of itself, and what a metapackage pins. Pure, libc
// alone, no allocation: all texts are parts of those that were given.
//
// Sources: Python packaging, "Recording installed projects" (the .dist-info folder), "Core
// metadata" (METADATA), "Names and normalization" (PEP 503), "Dependency specifiers" (PEP 508).
#pragma once

#include <string_view>

namespace anycuda {

struct Distribution {
  std::string_view name;
  std::string_view version;  // both empty: the text says neither
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

// Is it of those by which the components of a CUDA Toolkit are named, nvidia-... and cuda-...?
bool is_of_nvidia(std::string_view name);

// `nvidia-cublas==13.1.0.3.*; extra == "cublas"`
struct Requirement {
  std::string_view name;       // empty: the text is no requirement
  std::string_view specifier;  // "==13.1.0.3.*"; empty for any version, and for one by URL
};
Requirement parse_requirement(std::string_view text);

enum class Pin : char {
  none,         // nothing that could be satisfied by one toolkit's release alone
  unsatisfied,  // pinned to other versions
  satisfied
};

// What `metadata`, of a metapackage, pins `distribution` to: its fields Requires-Dist. Only a
// requirement whose versions all begin with the same two numbers is a pin. Other releases' satisfy
// a wider one ("nvidia-cublas>=13", "nvidia-nvjitlink<14,>=13.2.78") as well. Environment markers
// are not looked at: whatever system a pin is for, the metapackage is of one toolkit.
Pin pin_of(std::string_view metadata, const Distribution& distribution);

}  // namespace anycuda
