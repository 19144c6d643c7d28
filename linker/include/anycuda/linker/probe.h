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
  absent,   // none is found, or none that can be opened
  too_old,  // 12.0 to 12.2, which have no function nvJitLinkVersion: as good as absent
  refused   // there is one, but it is of a newer major than the driver's CUDA: not opened
};

struct NvJitLinkProbe {
  Presence presence = Presence::absent;
  Version version;     // what it says of itself; of a refused one what its file says; else unknown
  std::string path;    // of it, or of a refused or old one; "" where there is none
  std::string reason;  // why it is not usable: every file that was looked at, what is against it,
                       // and what would help; "" where it is usable
};

// The nvJitLink that the nvjitlink stub uses, found by the stubs' own search and rules (README.md,
// "What to expect"). It stays open. Whether it is new enough is told by its having the plain name
// nvJitLinkVersion; no function is called to find that out. Throws BackendError for a failure that
// says nothing of whether there is one: a variable's wrong value, nvJitLinkVersion fails; such an
// answer is not kept.
NvJitLinkProbe probe_nvjitlink();

struct DriverProbe {
  Version version;      // cuDriverGetVersion; unknown where there is no driver or it gives an error
  std::string path;     // "" where there is none
  std::string problem;  // why the version is not known; "" where it is
};

// libcuda.so.1 as the stubs find it. cuInit is not called. Throws BackendError as above.
DriverProbe probe_driver();

// Forgets the answers: the next question is asked anew. But a usable nvJitLink stays the answer:
// the stub has opened it, and uses no other in this process.
void reset_probes();

}  // namespace anycuda::linker
