// SPDX-License-Identifier: Apache-2.0

// May this display driver run that CUDA Toolkit? A pure function of plain values: no file, no
// environment, no allocation; safe from any thread. The stubs decide with it too.
//
// Sources: NVIDIA, "CUDA Compatibility": "Minor Version Compatibility", "Forward Compatibility" and
// the table "CUDA Toolkit and Minimum Required Driver Version for CUDA Minor Version
// Compatibility"; CUDA Driver API, "Version Management" (cuDriverGetVersion).
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"

namespace anycuda {

// The known facts about a driver. `present` is false if no driver library answers.
struct DriverFacts {
  bool present = false;
  Version cuda;    // the newest CUDA it supports: cuDriverGetVersion
  int branch = 0;  // display-driver branch (535, 550, ...), 0: not known
  int error = 0;   // of a driver that does not answer: the result of cuDriverGetVersion
};

enum class DriverVerdict : std::uint8_t {
  served,                   // backward compatibility: the driver's CUDA is at least the toolkit's
  served_by_minor_version,  // same major, newer minor: CUBIN runs, newer PTX does not compile
  served_by_declaration,    // newer major, and forward compatibility is declared
  nothing_known,            // no driver, or the toolkit's version is not known: nothing to refuse
  too_old,                  // the toolkit's major is newer than the driver's
  branch_short,             // same major, newer minor, branch below that major's minimum
  branch_unknown,           // the same, and the branch is unknown
  major_unknown             // the same, and no minimum branch is known for the major
};

// The smallest display-driver branch that serves every minor of a CUDA major by minor-version
// compatibility, 0 if unknown.
int minimum_branch(int cuda_major);

// Does the verdict depend on the branch? Only then it is queried, since the query starts the
// driver.
bool needs_branch(const DriverFacts& driver, Version toolkit);

// `forward_compatibility`: the cuda-compat package is declared to be in use
// (ANYCUDA_DRIVER_COMPAT=assume_forward_compat). It relaxes `too_old` and nothing else.
DriverVerdict evaluate_driver(const DriverFacts& driver, Version toolkit,
                              bool forward_compatibility = false);

// Does the verdict let the toolkit be used? Not `branch_unknown`: the mode decides about it.
constexpr bool serves(DriverVerdict verdict) { return verdict <= DriverVerdict::nothing_known; }

// Can the driver compile PTX that this toolkit makes? Not below the toolkit's own version
// ("CUDA Compatibility", "Minor Version Compatibility": applications that compile to PTX). True
// where nothing is known.
bool compiles_ptx_of(const DriverFacts& driver, Version toolkit);

}  // namespace anycuda
