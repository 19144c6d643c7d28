#include "compat/search/driver/why_no_driver.h"

#include "compat/search/reason.h"

namespace anycuda {

const char* why_no_driver(const DriverLookup& lookup, Arena* arena) {
  if (lookup.report == nullptr) return "libcuda.so.1 was not looked for: out of memory";
  const Report& report = *lookup.report;
  const char* text = report.variable_names_a_file()
                         ? arena->format("%s names no driver library", report.library().variable)
                         : "no libcuda.so.1 in LD_LIBRARY_PATH or in the system's folders";
  for (const Candidate* c = report.candidates(); c != nullptr && text != nullptr; c = c->next) {
    text = arena->format("%s; %s: %s", text, c->path, reason_of(*c, report, arena));
  }
  return text != nullptr ? text : "no memory to say why";
}

}  // namespace anycuda
