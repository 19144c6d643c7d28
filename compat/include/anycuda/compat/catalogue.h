// SPDX-License-Identifier: Apache-2.0

// Every component of a CUDA Toolkit (and of the driver) that can be looked for: one row of
// compat/catalogue/*.txt each. Data of the program: no ownership, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace anycuda::compat {

enum class Kind : std::uint8_t {
  dynamic_library,
  headers,  // the folder that is given to a compiler's -I
  static_library,
  bitcode_library,
  program
};

enum class Packaging : std::uint8_t {
  toolkit,
  driver,  // comes with the display driver (libcuda, NVML): says nothing about a toolkit
  other    // released on its own (NCCL, cuSPARSELt, Nsight tools)
};

// A list of texts that lives as long as the program.
struct Texts {
  const std::string_view* first;
  std::size_t count;
  const std::string_view* begin() const { return first; }
  const std::string_view* end() const { return first + count; }
  std::size_t size() const { return count; }
  bool contains(std::string_view text) const {
    for (const std::string_view& other : *this) {
      if (other == text) return true;
    }
    return false;
  }
};

struct Component {
  std::string_view name;  // "cudart", "nvJitLink", "libdevice", "nvcc": unique within its kind
  Kind kind;
  Packaging packaging;
  // Components that share a group must be of exactly the same toolkit major.minor: cublas and
  // cusolver; a library and its headers; the toolchain; NVRTC and the runtime's headers (measured:
  // NVRTC 12.4, 12.6, 12.8 and 12.9 do not compile cooperative_groups.h of 12.0 to 12.2). Sources:
  // compat/catalogue/README.md, "Groups".
  Texts groups;
  // File names, the most wanted first. Dynamic libraries: SONAMEs (newest major first); headers:
  // the file that proves the folder ("cuda_runtime.h").
  Texts files;
  // Folders below site-packages, a toolkit's or conda's root, and the system's root, each in the
  // order to look in; "*" stands for any text within one path component.
  Texts wheel_folders;
  Texts root_folders;
  Texts system_folders;
  // Distributions: those whose own version is the toolkit's ("nvidia-cuda-runtime-cu12", whose
  // 12.9.79 is of CUDA 12.9), and the others ("nvidia-cublas-cu12").
  Texts distributions;
  // System libraries that a dynamic library uses without a DT_NEEDED entry; they are opened before
  // it, with RTLD_GLOBAL.
  Texts needs;
  // Environment variables that name a root of the component, such as CUDNN_PATH; they come before
  // CUDA_PATH and its like. Source: cuda-pathfinder, "Search order".
  Texts variables;
};

// All rows, by kind and then name.
struct Components {
  const Component* first;
  std::size_t count;
  const Component* begin() const { return first; }
  const Component* end() const { return first + count; }
};
Components all_components();

// nullptr: the catalogue has no such component. Names are compared without regard to case. A
// bitcode library is also found by its file's name ("libdevice.10.bc").
const Component* find_component(Kind kind, std::string_view name);

// Throws UnknownNameError that lists the names of that kind that are near.
const Component& component_named(Kind kind, std::string_view name);
// Of the first kind that has the name, in this order: dynamic library, program, static library,
// bitcode library, headers ("cudart" is the library, "nvcc" the program, "cccl" the headers).
// Throws UnknownNameError that lists the near names of all kinds.
const Component& component_named(std::string_view name);

// Do two components have a group in common?
bool same_group(const Component& a, const Component& b);

std::string_view name_of(Kind kind);  // "dynamic library", as messages say it

// Is a distribution's own version the version of the toolkit it belongs to? The name as in
// METADATA; it is normalised (PEP 503).
bool version_is_toolkits(std::string_view distribution);

}  // namespace anycuda::compat
