// SPDX-License-Identifier: Apache-2.0

// May two components of CUDA Toolkits be used together? Pure functions of plain values: no file, no
// environment, no allocation; safe from any thread.
//
// Sources: CUDA Toolkit release notes, "CUDA Toolkit Component Versions" (what belongs to one
// release); nvJitLink documentation, "Compatibility" (LTO-IR: a linker of the producer's major that
// is at least as new); NVVM IR specification, "Versioning" (libNVVM); docs/compatibility.md lists
// anycuda's measurements.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"

namespace anycuda {

// The formats that are passed from one component to another.
enum class Format : std::uint8_t { ptx, cubin, elf, ltoir, nvvm_ir };

enum class PairVerdict : std::uint8_t {
  compatible,
  minor_differs,  // of one group: exactly the same major.minor is required
  major_differs,  // independent components of two majors
  two_runtimes    // two majors of cudart in one process: no exception
};

struct ComponentPair {
  Version first;
  Version second;
  bool same_group = false;     // of one group in the catalogue, or the same component
  bool both_runtimes = false;  // both are cudart, the dynamic library
  // A declared pipeline joins them and carries only PTX, CUBIN, ELF.
  bool only_portable_flows = false;
  bool allowed = false;  // the caller allows this pair by name
};

// The first rule that fails names the verdict; two_runtimes is asked first.
PairVerdict evaluate_pair(const ComponentPair& pair);

enum class PipelineVerdict : std::uint8_t {
  compatible,
  other_major,     // LTO-IR of another major
  consumer_older,  // LTO-IR of a newer minor than the consumer's
  not_exact        // libNVVM: producer and consumer must be of one release
};

struct Flow {
  Format format = Format::ptx;
  bool with_nvvm = false;  // the producer or the consumer is libNVVM
  Version producer;
  Version consumer;
};

PipelineVerdict evaluate_flow(const Flow& flow);

// PTX, CUBIN, ELF: what may cross majors between two components.
constexpr bool is_portable(Format format) {
  return format == Format::ptx || format == Format::cubin || format == Format::elf;
}

}  // namespace anycuda
