// SPDX-License-Identifier: Apache-2.0

// The choice between nvJitLink and the driver's linker (cuLink*). A pure function of plain values:
// no file, no environment, no library; safe from any thread. docs/linker.md has its table.
//
// Sources: nvJitLink documentation, "Compatibility" (LTO-IR stays within a major); "CUDA
// Compatibility", "Backward compatibility" (a newer driver loads the CUBIN of an older toolkit) and
// "Minor Version Compatibility" (an older major's driver does not load a newer one's).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "anycuda/compat/version.h"

namespace anycuda::linker {

using anycuda::Version;

enum class Backend : std::uint8_t { nvjitlink, driver };
const char* name_of(Backend backend);  // "nvJitLink", "the driver's linker"

// Whether an nvJitLink of another major than the driver's may link.
enum class Rule : std::uint8_t {
  same_major,   // no: the driver links; LTO-IR, lto and PTX output need nvJitLink of its major
  newer_driver  // yes, if the driver is newer: it loads the output of an older nvJitLink
};

struct Facts {
  // The rules use majors only; minors appear in messages.
  Version driver = {};            // the newest CUDA that it supports; not known(): unknown
  Version nvjitlink = {};         // not known(): absent
  bool lto_ir_input = false;      // an input has code as LTO-IR only (or as NVVM IR)
  bool lto_or_ptx_asked = false;  // Options::lto, or Options::output is ptx; not PTX input
  Rule rule = Rule::newer_driver;
};

// Why no backend may link, or `none`.
enum class Refusal : std::uint8_t {
  none,
  needs_nvjitlink,  // nvJitLink is absent
  driver_too_old,   // the driver cannot load the output of this nvJitLink
  other_major       // rule same_major, and the driver is newer
};

struct Choice {
  std::optional<Backend> backend = {};  // empty: refused
  Refusal refusal = Refusal::none;
};

// Must the driver's version be known to choose? Without nvJitLink the choice does not depend on it.
[[nodiscard]] bool needs_driver(const Facts& facts);

// The table. It has a row for every combination of facts.
[[nodiscard]] Choice choose(const Facts& facts);

// One sentence: the chosen linker and why; for a refusal, both versions and what to do.
[[nodiscard]] std::string explain(const Facts& facts, const Choice& choice);

}  // namespace anycuda::linker
