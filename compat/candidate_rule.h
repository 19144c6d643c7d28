// Which CUDA library may serve a caller: the one decision of the loader, free of any probing.
//
// Everything here is a pure function of plain values: no file, no environment, no lock, no
// allocation; safe from any thread. loader/ gathers the facts and asks.
#pragma once

#include <cstdint>

#include "anycuda/compat/driver.h"
#include "anycuda/compat/settings.h"
#include "anycuda/compat/version.h"

namespace anycuda {

// A caller's major as its symbol version names it; `kNativeCaller` for one without a version.
// A native caller takes whatever the library itself does.
constexpr int kNativeCaller = 0;

// What is known of a candidate before it is loaded.
struct CandidateFacts {
  Version version;      // major from its SONAME; minor: at least this one, if known
  bool loaded = false;  // in the process already
};

// What the library's descriptor says.
struct LibraryRules {
  int newest_known_major = 0;    // the newest major in the ABI database
  bool driver_bound = false;     // works only under a driver that is new enough (cudart)
  bool one_per_process = false;  // two in one process are a known source of bugs (cudart)
};

enum class Verdict : std::uint8_t {
  accepted,
  newer_than_known,       // a major the database does not know, and a caller that needs adapting
  other_major,            // ANYCUDA_CROSS_MAJOR=reject and another major than the caller's
  other_loaded,           // another file of the same library is in the process
  driver_too_old,         // the runtime's major is newer than the driver's
  driver_branch_short,    // same major, but the branch is below that major's minimum
  driver_branch_unknown,  // ANYCUDA_COMPAT=strict, and nobody could say the branch
  driver_major_unknown    // same major, newer minor, and no minimum branch is known for the major
};

struct Question {
  LibraryRules library;
  CandidateFacts candidate;
  DriverFacts driver;
  int caller_major = kNativeCaller;
  Mode mode = Mode::best_effort;
  bool forward_compatibility = false;
  int loaded_major = 0;  // major of the library that the process has loaded already, 0: none
  CrossMajor cross_major = CrossMajor::adapt;
};

// The whole decision for one candidate, the first rule that fails names the verdict.
Verdict judge(const Question& question);

// Order among accepted candidates of one place: true if `a` is newer. Unknown minors are oldest.
bool newer(Version a, Version b);

}  // namespace anycuda
