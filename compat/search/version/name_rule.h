// SPDX-License-Identifier: Apache-2.0

// What the names of a file and of the folders above it tell about its CUDA release. Pure functions
// of texts: no file, no environment, no allocation; safe from any thread. An empty range: the name
// tells nothing.
#pragma once

#include <string_view>

#include "anycuda/compat/version.h"
#include "compat/descriptor/library.h"

namespace anycuda {

// The releases of CUDA that a file may belong to, as numbers: 1209 for CUDA 12.9.
struct ReleaseRange {
  static constexpr int kMinors = 100;  // of a major
  int first = 0;
  int last = -1;

  static constexpr ReleaseRange of_majors(int first, int last) {
    return {first * kMinors, last * kMinors + kMinors - 1};
  }
  static constexpr ReleaseRange of(int major, int minor) {
    return {major * kMinors + minor, major * kMinors + minor};
  }
  constexpr bool is_empty() const { return last < first; }
  constexpr bool is_exact() const { return first == last; }
  constexpr ReleaseRange within(ReleaseRange other) const {
    return {first > other.first ? first : other.first, last < other.last ? last : other.last};
  }
  constexpr bool operator==(ReleaseRange other) const {
    return first == other.first && last == other.last;
  }
  constexpr Version version() const { return {first / kMinors, first % kMinors}; }
};

// The number at the end of a file's name (libcurand.so.10.3.10.19, or without the text before it),
// or the version of the library's wheel. A number of fewer than three parts is a SONAME's. Of a
// library that is numbered apart from CUDA, by the table in its descriptor: a number between two
// releases may be of both. Empty for libraries that have one number for all CUDAs (cuDNN, NCCL).
ReleaseRange releases_of_number(const LibraryDescriptor& library, std::string_view number);

// The name of a toolkit's folder, with the folder above it: cuda-12.8, cuda/12.8, CUDA/12.8.1,
// GCC-13.3-CUDA-12.8, cuda12.8-cudart, comm_libs/12.8, math_libs/12.8.
ReleaseRange releases_of_toolkit_name(std::string_view folder);

// The root of a toolkit or of a conda prefix by its layout: ROOT/lib64, ROOT/lib and
// ROOT/targets/<machine>/lib; "" for another folder.
std::string_view root_of_layout(std::string_view folder);

// Where NVIDIA's wheels have a library: SITE/nvidia/curand/lib, SITE/nvidia/cu13/lib.
struct WheelFolder {
  std::string_view site;  // "": it is not in one of the library's wheel folders
  int major = 0;          // 13 of nvidia/cu13; 0: its distribution names it
};
WheelFolder wheel_folder_of(const LibraryDescriptor& library, std::string_view folder);

// The start of the name of the library's distributions, as folders of metadata have it
// ("nvidia_curand"), without the major that distributions up to CUDA 12 have ("_cu12"). Empty for a
// library without wheels.
struct DistributionName {
  char text[64];
  std::size_t size = 0;
  std::string_view view() const { return {text, size}; }
};
DistributionName distribution_of(const LibraryDescriptor& library);

// The releases that a folder of metadata names (nvidia_curand_cu12-10.3.10.19.dist-info), without
// the distribution's name before it: "_cu12-10.3.10.19.dist-info".
ReleaseRange releases_of_metadata(const LibraryDescriptor& library, std::string_view name);

// A record of conda's package cuda-version: cuda-version-12.8-h5d125a7_3.json.
ReleaseRange releases_of_conda_record(std::string_view name);

}  // namespace anycuda
