// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/driver/driver_problem.h"

#include "compat/search/reason.h"

namespace anycuda {
namespace {

const char* describe_absence(const Report& report, Arena* arena) {
  const char* text = report.variable_names_a_file()
                         ? arena->format("%s names no driver library", report.library().variable)
                         : "no libcuda.so.1 in LD_LIBRARY_PATH or in the system's folders";
  for (const Candidate* c = report.candidates(); c != nullptr && text != nullptr; c = c->next) {
    text = arena->format("%s; %s: %s", text, c->path, reason_of(*c, report, arena));
  }
  return text;
}

const char* describe(const DriverLookup& lookup, Arena* arena) {
  const Driver& driver = lookup.driver;
  if (driver.status == Driver::kNoFile) return describe_absence(*lookup.report, arena);
  if (driver.status == Driver::kNoFunction) {
    return arena->format("%s has no function cuDriverGetVersion", driver.path);
  }
  if (driver.status == Driver::kNoVersion) {
    return arena->format("cuDriverGetVersion of %s returns no version", driver.path);
  }
  if (driver.status == 0) return "";
  return arena->format("cuDriverGetVersion of %s: error %d", driver.path, driver.status);
}

}  // namespace

const char* driver_problem(const DriverLookup& lookup, Arena* arena) {
  if (lookup.report == nullptr) return "libcuda.so.1 was not looked for: out of memory";
  const char* text = describe(lookup, arena);
  return text != nullptr ? text : "reason unknown, since memory ran out";
}

}  // namespace anycuda
