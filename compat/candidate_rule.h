// Which CUDA library may serve a caller: the one decision of the loader, free of any probing.
//
// Everything here is a pure function of plain values: no file, no environment, no lock, no
// allocation; safe from any thread. loader/ gathers the facts and asks.
#pragma once

#include <cstdint>

#include "compat/version.h"

namespace anycuda {

// ANYCUDA_CROSS_MAJOR: may a caller of one major be served by a library of another?
enum class CrossMajor : std::uint8_t { adapt, reject };

// A caller's major as its symbol version names it; `kNativeCaller` for one without a version.
// A native caller takes whatever the library itself does.
constexpr int kNativeCaller = 0;

// What is known of a driver. `present` is false where no driver library answers.
struct DriverFacts {
  bool present = false;
  Version cuda;    // cuDriverGetVersion
  int branch = 0;  // display-driver branch (535, 550, ...), 0: not known
};

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
  newer_than_known,     // a major the database does not know, and a caller that needs adapting
  other_major,          // ANYCUDA_CROSS_MAJOR=reject and another major than the caller's
  other_loaded,         // another file of the same library is in the process
  driver_too_old,       // the runtime's major is newer than the driver's
  driver_branch_short,  // same major, but the branch is below that major's minimum
  driver_major_unknown  // same major, newer minor, and no minimum branch is known for the major
};

struct Question {
  LibraryRules library;
  CandidateFacts candidate;
  DriverFacts driver;
  int caller_major = kNativeCaller;
  int loaded_major = 0;  // major of the library that the process has loaded already, 0: none
  CrossMajor cross_major = CrossMajor::adapt;
};

// The smallest display-driver branch that serves every minor of a CUDA major by minor-version
// compatibility, 0 where none is known. Source: NVIDIA, "CUDA Compatibility", table "CUDA Toolkit
// and minimum required driver version".
int minimum_branch(int cuda_major);

// The driver rule on its own: may `driver` run a runtime of `toolkit`?
// An absent driver refuses nothing: the runtime itself then answers "no driver".
Verdict judge_driver(const DriverFacts& driver, Version toolkit);

// The whole decision for one candidate, the first rule that fails names the verdict.
Verdict judge(const Question& question);

// Order among accepted candidates of one place: true if `a` is newer. Unknown minors are oldest.
bool newer(Version a, Version b);

}  // namespace anycuda
