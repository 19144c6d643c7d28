// SPDX-License-Identifier: Apache-2.0

// A stub's behaviour at a program's first call: the stubs' search, and its findings on the way.
#include "compat/doctor/ask.h"

#include <cerrno>
#include <climits>

#include "compat/descriptor/libraries.h"
#include "compat/doctor/files.h"
#include "compat/doctor/names.h"
#include "compat/doctor/record_writer.h"
#include "compat/metadata/driver/driver_branch.h"
#include "compat/search/companions/companions.h"
#include "compat/search/driver/driver_lookup.h"
#include "compat/search/hint.h"
#include "compat/search/reason.h"
#include "compat/search/search.h"

namespace anycuda::doctor {
namespace {

bool is_caller(const LibraryDescriptor& library, int major) {
  const int index = library.index_of(major);
  return major == kUnversionedCaller ||
         (index >= 0 && library.majors[index].symbol_version != nullptr);
}

void write_tiers(const Report& report, RecordWriter* records) {
  for (int i = 0; i < kTierCount; ++i) {
    const auto tier = static_cast<SearchTier>(i);
    records->begin("place")
        .field("name", name_of(tier))
        .field("title", tier_name(tier, report.library()))
        .flag("searched", report.tiers[i].searched)
        .field("folders", report.tiers[i].folders)
        .field("left_out", report.tiers[i].left_out)
        .end();
  }
}

// The search ended without a library and before this candidate's tier.
bool not_looked_at(const Candidate& candidate, const Report& report) {
  return report.handle == nullptr && !report.reached(candidate);
}

const char* reason_against(const Candidate& candidate, const Report& report, Arena* arena) {
  if (candidate.image.state != FileState::usable) return reason_of(candidate, report, arena);
  if (not_looked_at(candidate, report)) {
    const char* why = report.request.policy.wrong_count != 0
                          ? refused_setting(report, arena)
                          : arena->format("%s names a file", report.library().variable);
    return why != nullptr ? why : report.library().variable;
  }
  // Preferences are between candidates of one environment.
  const bool passed = candidate.verdict == Verdict::accepted && !candidate.tried;
  const bool rival =
      report.chosen != nullptr && report.chosen->environment == candidate.environment;
  return passed && rival ? reason_of_preference(*report.chosen, candidate, report, arena)
                         : reason_of(candidate, report, arena);
}

const char* verdict_on(const Candidate& candidate, const Report& report) {
  if (candidate.image.state != FileState::usable) return "";
  return not_looked_at(candidate, report) ? "not_looked_at" : name_of(candidate.verdict);
}

// A stub needs no branch; a reader of the report wants to know it.
DriverFacts facts_about(const Report& report, Version version) {
  DriverFacts facts = report.driver;
  if (facts.branch == 0 && needs_branch(facts, version)) {
    Arena arena;
    facts.branch = find_branch(report.driver_path, &arena).number;
  }
  return facts;
}

// Whether the driver serves it, independent of the mode; "" if the driver was not asked.
const char* driver_verdict_on(const Candidate& candidate, const Report& report) {
  const bool asked = report.library().rules.driver_bound && report.driver_path != nullptr;
  if (!asked || candidate.image.state != FileState::usable) return "";
  const Version version = known_version(candidate);
  return name_of(evaluate_driver(facts_about(report, version), version,
                                 report.request.policy.forward_compatibility));
}

// The missing file without which it is useless. A search looks only for those of the files that it
// would open.
const char* missing_file_of(const Candidate& candidate, const Report& report,
                            const Machine& machine, Arena* arena) {
  if (candidate.knows_companions) return candidate.is_incomplete ? candidate.lacking : "";
  const bool may_be_opened =
      candidate.image.state == FileState::usable && candidate.tier != SearchTier::loaded;
  if (!may_be_opened || report.library().is_driver) return "";
  return missing_companion(machine, report.library(), candidate.path, known_version(candidate),
                           candidate.toolkit.version.known(), arena);
}

void write_candidate(const Candidate& candidate, const Report& report, const Machine& machine,
                     Arena* arena, RecordWriter* records) {
  const std::size_t mark = arena->mark();
  const ToolkitVersion& toolkit = candidate.toolkit;
  const Version version = known_version(candidate);
  char target[PATH_MAX];
  find_missing_target(candidate.path, target);
  records->begin("candidate")
      .field("path", candidate.path)
      .field("place", name_of(candidate.tier))
      .field("state", name_of(candidate.image.state))
      .field("major", version.major)
      .field("minor", version.minor)
      .flag("exact", toolkit.version.known())
      .field("source", toolkit.source)
      .field("file", toolkit.file)
      .field("problem", toolkit.problem)
      .field("verdict", verdict_on(candidate, report))
      .field("reason", reason_against(candidate, report, arena))
      .field("driver", driver_verdict_on(candidate, report))
      .flag("tried", candidate.tried)
      .flag("stays_open", candidate.stays_open)
      .field("target", target)
      .field("lacking", missing_file_of(candidate, report, machine, arena))
      .flag("taken", &candidate == report.chosen)
      .end();
  arena->rewind(mark);
}

void write_answer(const Report& report, Arena* arena, RecordWriter* records) {
  const bool loaded = report.handle != nullptr;
  const Version version = loaded ? known_version(*report.chosen) : Version{};
  Report of_any_program(report);  // this Python is the doctor's
  of_any_program.in_python = false;
  records->begin("answer")
      .field("path", loaded ? report.chosen->path : "")
      .field("major", version.major)
      .field("minor", version.minor)
      .field("refused", refused_setting(report, arena))
      .field("advice", loaded ? "" : hint_for(of_any_program, arena))
      .end();
}

int ask(const Library& library, int caller_major, RecordWriter* records) {
  Arena arena;
  Request request{library.descriptor, library.symbols, caller_major};
  request.policy = read_policy();
  request.all_versions = true;
  const Machine machine = this_machine();
  const Report* report = search(request, machine, &arena);
  if (report == nullptr) return ENOMEM;
  write_answer(*report, &arena, records);
  write_tiers(*report, records);
  // Last, since another driver or a slow disk may end this process here.
  if (const Report* whole = with_unreached_tiers(*report, machine, &arena)) report = whole;
  for (const Candidate* c = report->candidates(); c != nullptr; c = c->next) {
    write_candidate(*c, *report, machine, &arena, records);
  }
  return records->complete() ? 0 : EIO;
}

}  // namespace
}  // namespace anycuda::doctor

int anycuda_doctor_ask(const char* library, int caller_major, int file) {
  const anycuda::Library* about = anycuda::library_named(library);
  if (about == nullptr || !anycuda::doctor::is_caller(*about->descriptor, caller_major)) {
    return ENOENT;
  }
  anycuda::doctor::RecordWriter records(file);
  return anycuda::doctor::ask(*about, caller_major, &records);
}
