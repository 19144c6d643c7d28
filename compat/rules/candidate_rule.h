// SPDX-License-Identifier: Apache-2.0

// Which CUDA library may serve a caller: the one decision of a search, free of any probing.
//
// Everything here is a pure function of plain values: no file, no environment, no lock, no
// allocation; safe from any thread. compat/search gathers the facts and asks.
//
// The mode `off` drops the rules about the driver and about metadata. These rules hold in every
// mode, since they protect the process's memory or were requested by the user: a major that the
// database does not know (newer_than_known), ANYCUDA_CROSS_MAJOR=reject (other_major), one runtime
// per process (other_loaded, other_runtime) and one CUDA for libraries that take each other's
// handles (other_group).
#pragma once

#include <cstdint>

#include "anycuda/compat/driver.h"
#include "anycuda/compat/settings.h"
#include "anycuda/compat/version.h"
#include "compat/outcomes.h"  // Verdict

namespace anycuda {

// A caller's major as its symbol version names it; `kUnversionedCaller` for one without a version.
// An unversioned caller accepts the library's behaviour as it is.
constexpr int kUnversionedCaller = 0;

// The facts about a candidate before it is loaded.
struct CandidateFacts {
  Version version;        // major from its SONAME; minor: at least this one, if known
  int newest_major = 0;   // at most of this major, where several have its SONAME
  bool exact = false;     // an authoritative source says that it is this very version
  bool is_later = false;  // callers were built for an earlier major of the library: cuDNN 9 for 8
  bool loaded = false;    // in the process already
  int needs_runtime = 0;  // the major of the CUDA runtime that it opens with it, 0: none

  bool may_be_of(int major) const {
    return major == version.major || (version.major < major && major <= newest_major);
  }
};

// Device code that a library makes.
enum class Output : std::uint8_t { none, cubin, ptx };
// Does it make the LTO-IR that another library takes, or take it?
enum class LtoIr : std::uint8_t { none, makes, takes };

// Which other libraries a library's CUDA is tied to (docs/search.md has the reasons).
enum class Bond : std::uint8_t {
  group,   // they take each other's handles: all of a process are of one major
  runtime  // the CUDA runtime, whose major goes first
};

// The rules in the library's descriptor.
struct LibraryRules {
  int newest_known_major = 0;    // the newest major in the ABI database
  bool driver_bound = false;     // it, or its output, needs a driver that is new enough
  bool one_per_process = false;  // two in one process are a known source of bugs (cudart)
  Output output = Output::none;
  LtoIr lto_ir = LtoIr::none;
};

struct CandidateQuery {
  LibraryRules library;
  CandidateFacts candidate;
  DriverFacts driver;
  int caller_major = kUnversionedCaller;
  int caller_newest_major = 0;  // or of a major up to this one, where several have its SONAME
  Mode mode = Mode::best_effort;
  bool forward_compatibility = false;
  int loaded_major = 0;   // major of the library that the process has loaded already, 0: none
  int group_major = 0;    // of the loaded libraries of its group, 0: none
  int runtime_major = 0;  // of the loaded CUDA runtime, 0: none
  CrossMajor cross_major = CrossMajor::adapt;
};

// The whole decision for one candidate: the first rule that fails determines the verdict.
Verdict evaluate(const CandidateQuery& query);

// Might the verdict change if the query had the driver's CUDA version, then the candidate's exact
// version? Each fact costs: files are read.
bool needs_driver_version(const CandidateQuery& query);
bool needs_exact_version(const CandidateQuery& query);

}  // namespace anycuda
