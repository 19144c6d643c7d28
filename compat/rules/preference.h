// SPDX-License-Identifier: Apache-2.0

// The order among the candidates of one search tier that the rules (candidate_rule.h) accept: the
// first one is taken.
//
// Pure functions of plain values: no file, no environment, no allocation; safe from any thread.
//
// Sources: NVIDIA, "CUDA Compatibility", "Minor Version Compatibility" (a driver compiles no PTX of
// a toolkit newer than itself); nvJitLink documentation, "Compatibility" (LTO-IR: a linker of the
// producer's major that is at least as new). Each comes before "the newest":
//
// - A library with code for the machine's GPUs (gpu_rule.h): without such code nothing runs.
// - A compiler whose PTX the driver compiles. Before the others, since PTX is NVRTC's default
//   output. Not in the mode `off`, in which the driver does not count.
// - A compiler or linker whose LTO-IR its peer library, which the process has loaded, takes or
// gives.
// - A linker of the caller's major: a program may bring LTO-IR in its fatbins.
// - A library of the CUDA that the process has: NVIDIA tests only libraries of one CUDA together.
// - A library beside which its folder or site has all others that the process will need.
// - A library whose major is known, if its SONAME is of several: the other may not fit at all.
#pragma once

#include "anycuda/compat/version.h"
#include "compat/outcomes.h"  // Preference
#include "compat/rules/candidate_rule.h"

namespace anycuda {

// The facts beside the candidate.
struct PreferenceContext {
  DriverFacts driver;
  const Version* peers = nullptr;  // loaded libraries that the candidate gives LTO-IR to, or
  int peer_count = 0;              // takes it from; an unknown minor is compatible with all
  int caller_major = kUnversionedCaller;
  int oldest_gpu = 0;     // of the machine, 75 for compute capability 7.5; 0: not known
  int process_major = 0;  // of the CUDA that the process has, 0: none
  Mode mode = Mode::best_effort;
};

// How well a candidate fits its context.
struct Rank {
  Version version;
  bool has_gpu_code = true;   // for each GPU of the machine
  bool ptx_compiles = true;   // by the driver
  bool lto_ir_flows = true;   // between it and one of its peers
  bool callers_major = true;  // or the caller's major does not matter
  bool process_major = true;  // of the CUDA that the process has, or it has none
  bool complete = true;       // the libraries of all loaded stubs are beside it, in its major
  bool known_major = true;    // its CUDA major is known
};
Rank rank_of(const LibraryRules& library, Version candidate, const PreferenceContext& context);

// Might another minor of its major change the candidate's rank?
bool needs_minor(const LibraryRules& library, Version candidate, const PreferenceContext& context);

// The first difference decides; `none`: `a` does not go before `b`.
Preference preference(const Rank& a, const Rank& b);

}  // namespace anycuda
