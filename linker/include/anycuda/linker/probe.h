// SPDX-License-Identifier: Apache-2.0

// What there is to link with. Asked for when it is first needed, kept for the process, can be asked
// for without a Linker. Quiet: nothing is written to stderr about what is not there.
//
// All of these: thread-safe; no lock is held while a library is opened, so threads that come
// together may probe together, and all get what the first of them found.
#pragma once

#include <cstdint>
#include <string>

#include "anycuda/linker/choice.h"

namespace anycuda::linker {

enum class Presence : std::uint8_t {
  usable,   // it is open
  absent,   // not found, or it cannot be opened
  too_old,  // 12.0 to 12.2, which have no function nvJitLinkVersion: treated as absent
  refused   // of a newer major than the driver's CUDA: not opened
};

struct NvJitLinkProbe {
  Presence presence = Presence::absent;
  Version version = {};     // as nvJitLinkVersion reports; if refused, by its file; else unknown
  std::string path = {};    // of the usable, refused or too old file; "" if absent
  std::string reason = {};  // why it is not usable: every examined file with its reason, and what
                            // would help; "" if it is usable
};

// The nvJitLink that the nvjitlink stub uses, found by the stubs' search and rules (README.md,
// "What to expect"). It stays open. It is new enough if it exports the plain name nvJitLinkVersion;
// this check calls no function. Throws BackendError for a failure that leaves open whether
// nvJitLink is installed: a variable has an invalid value, nvJitLinkVersion fails. Such an answer
// is not cached.
NvJitLinkProbe probe_nvjitlink();

struct DriverProbe {
  Version version = {};      // cuDriverGetVersion; unknown without a driver, or if that fails
  std::string path = {};     // "" without a driver
  std::string problem = {};  // why the version is unknown; "" if it is known
};

// libcuda.so.1 as the stubs find it. cuInit is not called. Throws BackendError as above.
DriverProbe probe_driver();

// Forgets the cached answers: the next call probes again. A usable nvJitLink stays the answer: the
// stub has opened it, and uses no other in this process.
void reset_probes();

}  // namespace anycuda::linker
