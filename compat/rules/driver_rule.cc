// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/driver.h"

namespace anycuda {
namespace {

bool newer_minor(const DriverFacts& driver, Version toolkit) {
  return driver.cuda.major == toolkit.major && toolkit.minor > driver.cuda.minor;
}

bool comparable(const DriverFacts& driver, Version toolkit) {
  return driver.present && driver.cuda.known() && toolkit.known();
}

}  // namespace

int minimum_branch(int cuda_major) {
  switch (cuda_major) {
    case 11:
      return 450;
    case 12:
      return 525;
    case 13:
      return 580;
    default:
      return 0;
  }
}

bool needs_branch(const DriverFacts& driver, Version toolkit) {
  return comparable(driver, toolkit) && newer_minor(driver, toolkit) &&
         minimum_branch(toolkit.major) != 0;
}

DriverVerdict evaluate_driver(const DriverFacts& driver, Version toolkit,
                              bool forward_compatibility) {
  if (!comparable(driver, toolkit)) return DriverVerdict::nothing_known;
  if (toolkit.major > driver.cuda.major) {
    return forward_compatibility ? DriverVerdict::served_by_declaration : DriverVerdict::too_old;
  }
  if (!newer_minor(driver, toolkit)) return DriverVerdict::served;
  const int minimum = minimum_branch(toolkit.major);
  if (minimum == 0) return DriverVerdict::major_unknown;
  if (driver.branch == 0) return DriverVerdict::branch_unknown;
  return driver.branch < minimum ? DriverVerdict::branch_short
                                 : DriverVerdict::served_by_minor_version;
}

bool compiles_ptx_of(const DriverFacts& driver, Version toolkit) {
  if (!comparable(driver, toolkit)) return true;
  return toolkit.major < driver.cuda.major ||
         (toolkit.major == driver.cuda.major && toolkit.minor <= driver.cuda.minor);
}

}  // namespace anycuda
