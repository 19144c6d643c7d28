// SPDX-License-Identifier: Apache-2.0
#include "linker/probe_library.h"

#include <new>

#include "anycuda/linker/errors.h"
#include "compat/descriptor/libraries.h"
#include "compat/search/driver/driver_lookup.h"
#include "compat/search/hint.h"
#include "compat/search/reason.h"
#include "compat/search/search.h"
#include "compat/search/symbols/function.h"
#include "linker/base/message_text.h"

namespace anycuda::linker {
namespace {

std::string line_about(const Candidate& candidate, const Report& report, Arena* arena) {
  std::string line = candidate.path;
  if (candidate.image.state == FileState::usable) {
    line += std::string(" (") + describe_version(report.library(), candidate, arena) + ")";
  }
  return "\n  " + in_one_line(line + ": " + reason_of(candidate, report, arena));
}

void describe_failure(const Report& report, Arena* arena, LibraryProbe* probe) {
  probe->report = std::string("no ") + report.library().product + " can be used";
  probe->report += report.candidates() == nullptr ? ": no file of it was found" : ":";
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    probe->report += line_about(*c, report, arena);
    const Version version = known_version(*c);
    const bool usable = c->image.state == FileState::usable;
    const bool by_driver = usable && c->verdict == Verdict::driver_too_old;
    if (!by_driver || !older(probe->refused, version)) continue;
    probe->refused = version;
    probe->refused_path = c->path;
  }
  const int more = report.left_out();
  if (more > 0) {
    probe->report += "\n  and " + std::to_string(more) + (more == 1 ? " more file" : " more files");
  }
  probe->report += "\n  what to do: " + in_one_line(hint_for(report, arena));
}

}  // namespace

void check_settings(const LibraryDescriptor& library, const Policy& policy) {
  if (policy.wrong_count == 0) return;
  Request request{&library};
  request.policy = policy;
  const Report report(request);
  Arena arena;
  throw BackendError(in_one_line(refused_setting(report, &arena)) + ", so no " + library.product +
                     " is searched for: " + in_one_line(hint_for(report, &arena)));
}

LibraryProbe probe_library(const char* library) {
  const Library& about = *library_named(library);
  Request request{about.descriptor, about.symbols};
  // "Beside the caller" means beside this library, for the stub, too: this library is its caller.
  request.caller = reinterpret_cast<const void*>(&probe_library);
  request.policy = read_policy();
  check_settings(*about.descriptor, request.policy);
  Arena arena;
  const Report* report = search(request, this_machine(), &arena);
  if (report == nullptr) throw std::bad_alloc();
  LibraryProbe probe;
  if (report->handle == nullptr) {
    const Report* more = with_versions(*report, &arena);
    describe_failure(more != nullptr ? *more : *report, &arena, &probe);
    return probe;
  }
  probe.handle = report->handle;
  probe.path = report->chosen->path;
  probe.version = known_version(*report->chosen);
  return probe;
}

bool driver_rules_hold() {
  const Policy policy = read_policy();
  return policy.mode != Mode::off && !policy.forward_compatibility;
}

bool has_symbol(void* handle, const char* name) { return find_function(handle, name) != nullptr; }

}  // namespace anycuda::linker
