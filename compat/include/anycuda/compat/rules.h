// May two pieces of CUDA Toolkits be used together? Pure functions of plain values: no file, no
// environment, no allocation; safe from any thread.
//
// Sources: CUDA Toolkit release notes, "CUDA Toolkit Component Versions" (what belongs to one
// release); nvJitLink documentation, "Compatibility" (LTO-IR: a linker of the producer's major that
// is at least as new); NVVM IR specification, "Versioning" (libNVVM); docs/compatibility.md says
// which are our own measurements.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"

namespace anycuda {

// What is carried from one piece to another.
enum class Format : std::uint8_t { ptx, cubin, elf, ltoir, nvvm_ir };

enum class ItemVerdict : std::uint8_t {
  compatible,
  minor_differs,  // one component, or companions: exactly the same major.minor is required
  major_differs,  // independent pieces of two majors
  two_runtimes    // two majors of cudart in one process: no exception
};

struct ItemPair {
  Version first;
  Version second;
  bool same_component = false;  // of one component, or declared companions
  bool both_runtimes = false;   // both are cudart, the dynamic library
  bool only_portable_flows =
      false;             // a declared pipeline joins them and carries only PTX, CUBIN, ELF
  bool allowed = false;  // the caller allows this pair by name
};

// The first rule that fails names the verdict; two_runtimes is asked first.
ItemVerdict judge_items(const ItemPair& pair);

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

PipelineVerdict judge_flow(const Flow& flow);

// PTX, CUBIN, ELF: what may cross majors between two pieces.
constexpr bool is_portable(Format format) {
  return format == Format::ptx || format == Format::cubin || format == Format::elf;
}

}  // namespace anycuda
