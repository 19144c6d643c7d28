// SPDX-License-Identifier: Apache-2.0
#include "loader/short_report.h"

#include "compat/search/hint.h"
#include "compat/search/reason.h"

namespace anycuda {
namespace {

// False for an anycuda stub, and for a file that was deleted and is still in ld.so.cache: both are
// normal. NVIDIA's stub for linking counts: as libcuda.so.1 in a searched folder it is a mistake.
bool is_of_library(const Candidate& candidate) {
  return candidate.image.state != FileState::anycuda_stub && !candidate.listed_only;
}

const char* plural(int count) { return count == 1 ? "" : "s"; }

// If the variable names a file, a library that the process has loaded is not why the search failed.
bool is_refused(const Candidate& candidate) {
  const bool usable = candidate.image.state == FileState::usable;
  return !usable || candidate.verdict != Verdict::accepted || candidate.tried;
}

// The refused file with the most useful reason, in this order: the one that keeps others out, a
// usable file that a rule refused, a broken file, NVIDIA's stub for linking, an anycuda stub or a
// deleted file.
int relevance(const Report& report, const Candidate& candidate) {
  if (candidate.stays_open || report.is_in_the_way(candidate)) return 4;
  if (candidate.image.state == FileState::usable) return 3;
  if (!is_of_library(candidate)) return 0;
  return candidate.image.state == FileState::link_stub ? 1 : 2;
}

const Candidate* most_relevant(const Report& report) {
  const Candidate* best = nullptr;
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (!is_refused(*c)) continue;
    if (best == nullptr || relevance(report, *c) > relevance(report, *best)) best = c;
  }
  return best;
}

// The refused files of the library besides `best`.
int count_others(const Report& report, const Candidate* best) {
  int count = report.left_out();
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (c != best && is_refused(*c) && is_of_library(*c)) ++count;
  }
  return count;
}

void add_first_line(Message* message, const char* function, const LibraryDescriptor& library) {
  message->add("anycuda: %s failed: no usable %s was found.\n", function, library.product);
}

void add_looked_for(Message* message, const LibraryDescriptor& library, int folders,
                    int caller_major) {
  message->add("  looked for: ");
  add_sonames(message, library);
  message->add(" in %d folder%s", folders, plural(folders));
  if (caller_major != kUnversionedCaller) {
    message->add(", for a program built for CUDA %s", majors_like(library, caller_major).text);
  }
  message->add("\n");
}

void add_last_line(Message* message) {
  message->add("  for all details: run `anycuda doctor`, or set ANYCUDA_LOG=warn\n");
}

// One line: the file with its reason, and how many others there are.
void add_refused(Message* message, const Report& report, Arena* arena) {
  const Candidate* candidate = most_relevant(report);
  if (candidate == nullptr) return;
  const char* reason = reason_of(*candidate, report, arena);
  const int others = count_others(report, candidate);
  const char* more =
      others == 0 ? "" : arena->format("; %d more file%s cannot be used", others, plural(others));
  if (more == nullptr) more = "";
  if (candidate->image.state != FileState::usable) {
    message->add_line("  %s: %s%s", candidate->path, reason, more);
  } else {
    message->add_line("  %s (%s): %s%s", candidate->path,
                      describe_version(report.library(), *candidate, arena), reason, more);
  }
}

// In place of the "looked for" line, since the search was not started.
void add_wrong_setting(Message* message, const Policy& policy) {
  const WrongSetting& wrong = policy.wrong[0];
  message->add_line("  invalid %s=%.300s: expected %s; default: %s%s", wrong.variable, wrong.value,
                    values_of(wrong.variable), wrong.fallback,
                    policy.wrong_count > 1 ? "; other settings are invalid too" : "");
}

}  // namespace

bool found_no_file(const Report& report) {
  if (report.request.policy.wrong_count != 0 || report.variable_names_a_file()) return false;
  if (report.left_out() != 0) return false;
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (is_of_library(*c)) return false;
  }
  return true;
}

int folder_count(const Report& report) {
  int count = 0;
  for (const TierSummary& tier : report.tiers) count += tier.folders;
  return count;
}

void add_sonames(Message* message, const LibraryDescriptor& library) {
  for (int i = library.major_count - 1; i >= 0; --i) {
    message->add("%s%s", library.majors[i].soname, i > 0 ? ", " : "");
  }
  if (library.earlier_soname != nullptr) message->add(", %s", library.earlier_soname);
}

void add_short_report(Message* message, const Report& report, const char* function, Arena* arena) {
  add_first_line(message, function, report.library());
  if (report.request.policy.wrong_count != 0) {
    add_wrong_setting(message, report.request.policy);
  } else {
    if (report.variable_names_a_file()) {
      message->add("  looked for: only the file that %s names\n", report.library().variable);
    } else {
      add_looked_for(message, report.library(), folder_count(report), report.request.caller_major);
    }
    add_refused(message, report, arena);
  }
  message->add_line("  what to do: %s.", hint_for(report, arena));
  add_last_line(message);
}

}  // namespace anycuda
