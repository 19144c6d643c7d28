// Which of several libraries that may all serve a caller is taken: the order among the candidates
// of one place, once the rules (candidate_rule.h) have refused what they refuse.
//
// Pure functions of plain values: no file, no environment, no allocation; safe from any thread.
//
// Sources: NVIDIA, "CUDA Compatibility", "Minor Version Compatibility" (a driver compiles no PTX of
// a toolkit newer than itself); nvJitLink documentation, "Compatibility" (LTO-IR: a linker of the
// producer's major that is at least as new). Each comes before "the newest":
//
// - A compiler whose PTX the driver compiles. First, since PTX is what NVRTC gives unless it is
//   asked for more. Not with ANYCUDA_COMPAT=off, where the driver does not count.
// - A compiler and a linker between which LTO-IR can go, where the process has the other one.
// - A linker of the caller's own major: a program may bring LTO-IR in its fatbins.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"
#include "compat/candidate_rule.h"

namespace anycuda {

// What there is beside the candidate.
struct Company {
  DriverFacts driver;
  const Version* partners = nullptr;  // loaded libraries that the candidate gives LTO-IR to, or
  int partner_count = 0;              // takes it from; an unknown minor speaks against nobody
  int caller_major = kNativeCaller;
  Mode mode = Mode::best_effort;
};

// How well a candidate fits its company.
struct Fit {
  Version version;
  bool ptx_compiles = true;   // by the driver
  bool lto_ir_flows = true;   // between it and one of its partners
  bool callers_major = true;  // or the caller's major does not matter
};
Fit fit_of(const LibraryRules& library, Version candidate, const Company& company);

// Why one candidate goes before another.
enum class Preference : std::uint8_t { none, ptx, lto_ir, callers_major, newest };

// The first difference decides; `none`: `a` does not go before `b`.
Preference preference(const Fit& a, const Fit& b);

}  // namespace anycuda
