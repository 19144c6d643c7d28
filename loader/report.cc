// SPDX-License-Identifier: Apache-2.0
#include "loader/report.h"

#include <atomic>
#include <cstdint>
#include <new>

#include "compat/search/hint.h"
#include "compat/search/reason.h"
#include "compat/search/search.h"
#include "loader/message.h"
#include "loader/process/shortage_text.h"
#include "loader/tables.h"

namespace anycuda {
namespace {

std::atomic<bool> reported{false};

bool first_report() {
  return log_enabled(LogLevel::error) && !reported.exchange(true, std::memory_order_relaxed);
}

void add_tiers(Message* message, const Report& report) {
  for (int i = 0; i < kTierCount; ++i) {
    const auto tier = static_cast<SearchTier>(i);
    const TierSummary& summary = report.tiers[i];
    int files = summary.left_out;
    for (const Candidate* c = report.candidates(); c != nullptr; c = c->next)
      files += c->tier == tier;
    message->add("  %-28s ", tier_name(tier, report.library()));
    if (!summary.searched) {
      message->add("not searched\n");
    } else if (tier == SearchTier::variable) {
      message->add("%s\n", files == 0 ? "not set" : "set");
    } else if (tier == SearchTier::loaded) {
      message->add("%d file%s\n", files, files == 1 ? "" : "s");
    } else {
      message->add("%d file%s in %d folder%s\n", files, files == 1 ? "" : "s", summary.folders,
                   summary.folders == 1 ? "" : "s");
    }
  }
}

// A usable file with its version.
void add_candidate(Message* message, const Candidate& candidate, const Report& report,
                   Arena* arena) {
  const std::size_t mark = arena->mark();
  const char* reason = reason_of(candidate, report, arena);
  if (candidate.image.state != FileState::usable) {
    message->add_line("  %s: %s", candidate.path, reason);
  } else {
    message->add_line("  %s (%s): %s", candidate.path,
                      describe_version(report.library(), candidate, arena), reason);
  }
  arena->rewind(mark);
}

void add_candidates(Message* message, const Report& report, Arena* arena) {
  int more = report.left_out();
  message->keep_back(4 << 10);  // for what to do, however many candidates there are
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (message->is_full()) {
      ++more;
    } else {
      add_candidate(message, *c, report, arena);
    }
  }
  message->keep_back(0);
  if (more > 0) message->add("  and %d more file%s\n", more, more == 1 ? "" : "s");
}

// With the versions of its candidates, if there is memory for them and for the reasons.
const Report* most_of(const Report* report, Arena* arena) {
  const ArenaReserve for_reasons(arena, kReasonBytes);
  const Report* more = with_versions(*report, arena);
  return more != nullptr ? more : report;
}

void add_wrong_settings(Message* message, const Policy& policy) {
  for (int i = 0; i < policy.wrong_count; ++i) {
    const WrongSetting& wrong = policy.wrong[i];
    message->add_line("  invalid %s=%.300s: expected %s; default: %s", wrong.variable, wrong.value,
                      values_of(wrong.variable), wrong.fallback);
  }
}

// Everything that was looked for and found.
void add_whole_report(Message* message, const Report& report, const char* function, Arena* arena) {
  const LibraryDescriptor& library = report.library();
  message->add("anycuda: %s failed: no usable %s was found.\n", function, library.product);
  if (report.request.caller_major != kUnversionedCaller) {
    message->add("  the calling program was built for CUDA %s\n",
                 majors_like(library, report.request.caller_major).text);
  }
  message->add("  looked for: ");
  add_sonames(message, library);
  message->add("\n");
  add_tiers(message, report);
  add_candidates(message, report, arena);
  add_wrong_settings(message, report.request.policy);
  if (report.differing_variables != nullptr) {
    message->add_line("  %.1000s", report.differing_variables);
  }
  message->add_line("  what to do: %s.", hint_for(report, arena));
}

bool is_newer(const Candidate& candidate, const Candidate& chosen) {
  return newer(known_version(candidate), known_version(chosen));
}

// A file that should serve; one that was tried has its line already.
bool is_damaged(const Candidate& candidate) {
  const FileState state = candidate.image.state;
  return !candidate.tried && (state == FileState::truncated || state == FileState::not_elf ||
                              state == FileState::required_symbol_missing);
}

void report_damaged(const Report& report, Arena* arena) {
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (is_damaged(*c)) log_passed_over(*c, report, arena);
  }
}

void report_passed_over(const Report& report, Arena* arena) {
  const Candidate& chosen = *report.chosen;
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (c == &chosen || c->image.state != FileState::usable || !is_newer(*c, chosen)) continue;
    const bool rival =
        c->verdict == Verdict::accepted && c->environment == chosen.environment && !c->tried;
    if (c->verdict == Verdict::accepted && !rival) continue;
    const std::size_t mark = arena->mark();
    log_line(
        LogLevel::info, "%s: passed over %s (%s): %s", report.library().name, c->path,
        describe_version(report.library(), *c, arena),
        rival ? reason_of_preference(chosen, *c, report, arena) : reason_of(*c, report, arena));
    arena->rewind(mark);
  }
}

// Does the library's SONAME stand for several majors, the caller's among them (libcudnn.so.9)? Then
// their majors do not tell why a call fails.
bool share_soname(const LibraryDescriptor& library, int caller_major, int library_major) {
  const int newest = library.newest_like(caller_major);
  return newest != caller_major && newest == library.newest_like(library_major);
}

// Is the library of the CUDA that the caller was built for, or of a later one with its SONAME? Then
// another major would not help.
bool is_of_callers_cuda(const LibraryDescriptor& library, const FunctionFailure& failure) {
  const int caller = failure.caller_major;
  const int major = failure.library_major;
  return caller == kUnversionedCaller || major == caller ||
         (major > caller && major <= library.newest_like(caller));
}

// A later CUDA removed the function, or the library is older than the function.
void add_other_release(Message* message, const FunctionFailure& failure,
                       const LibraryDescriptor& library) {
  const int symbol = kTables.find_symbol(failure.function);
  const int row = kTables.last_row_with(library, symbol, failure.library_major);
  if (row < 0) {
    message->add("  what to do: install a newer %s, or do without the function.\n",
                 library.product);
    return;
  }
  const bool is_in_earlier = row > 0 && kTables.availability_in(row - 1)[symbol] != kNever;
  message->add(
      "  what to do: install %s %s of CUDA %d%s, which has it, and set %s to its path; or do "
      "without the function.\n",
      article_of(library.product), library.product, library.majors[row].newest,
      is_in_earlier ? " or older" : "", library.variable);
}

}  // namespace

std::atomic<int> silent_search{0};

void report_choice(const Report& report, Arena* arena) {
  const LibraryDescriptor& library = report.library();
  const Candidate& chosen = *report.chosen;
  const std::size_t mark = arena->mark();
  const char* version = log_enabled(LogLevel::warn) ? describe_version(library, chosen, arena) : "";
  log_line(LogLevel::info, "%s: using %s (%s)", library.name, chosen.path, version);
  report_damaged(report, arena);
  if (log_enabled(LogLevel::info)) report_passed_over(report, arena);
  if (report.differing_variables != nullptr) {
    log_line(LogLevel::warn, "%s: %s", library.name, report.differing_variables);
  }
  if (report.is_full()) {
    log_line(LogLevel::warn,
             "%s: out of memory: %d files were left out, and one of them may be newer",
             library.name, report.left_out());
  }
  const bool makes_ptx = library.rules.output == Output::ptx;
  if (makes_ptx && !compiles_ptx_of(report.driver, known_version(chosen))) {
    log_line(LogLevel::warn,
             "%s: %s (%s) is newer than %s, of CUDA %d.%d: that driver cannot compile PTX "
             "from this library; CUBIN runs (compile for the GPU's own sm_XX)",
             library.name, chosen.path, version, report.driver_path, report.driver.cuda.major,
             report.driver.cuda.minor);
  }
  arena->rewind(mark);
}

void report_no_library(const Report* report, Arena* arena, const FailedCall& call) {
  const bool whole = log_enabled(LogLevel::warn);
  if (!whole && report != nullptr && found_no_file(*report)) {
    int none = 0;
    const int facts = 4 * folder_count(*report) + (report->in_python ? 3 : 1);
    const bool first =
        silent_search.compare_exchange_strong(none, facts, std::memory_order_relaxed);
    // A later search looks only at libraries loaded since: report_silent_failure() reports the
    // first search.
    if (call.is_question || !first) return;
  }
  if (!first_report()) return;
  Message message(arena);  // before versions are read, which takes memory too
  if (report == nullptr || !message.usable()) {
    return log_line(LogLevel::error, "%s: out of memory during the search for the %s; called: %s",
                    kLibrary.name, kLibrary.product, call.function);
  }
  report = most_of(report, arena);
  if (whole) {
    add_whole_report(&message, *report, call.function, arena);
  } else {
    add_short_report(&message, *report, call.function, arena);
  }
  message.send();
}

void report_silent_failure(const FailedCall& call) {
  const int facts = silent_search.load(std::memory_order_relaxed);
  if (facts == 0) return;
  silent_search.store(0, std::memory_order_relaxed);
  if (!first_report()) return;
  Arena arena;
  Message message(&arena);
  void* const memory = arena.take_raw(sizeof(Report));
  if (!message.usable() || memory == nullptr) {
    return log_line(LogLevel::error, "%s failed: no usable %s was found", call.function,
                    kLibrary.product);
  }
  auto* const report = new (memory) Report({&kLibrary, nullptr, call.caller_major});
  report->tiers[0].folders = facts / 4;
  report->in_python = (facts & 2) != 0;
  add_short_report(&message, *report, call.function, &arena);
  message.send();
}

void report_no_function(const FunctionFailure& failure, const LibraryDescriptor& library) {
  if (!first_report() && !log_enabled(LogLevel::warn)) return;
  Arena arena;
  if (!arena.usable()) {
    return log_line(LogLevel::error, "%s failed: %s", failure.function, failure.reason);
  }
  Message message(&arena);
  message.add_line("anycuda: %s failed (status %d): %s.", failure.function, failure.status,
                   failure.reason);
  const char* const path = failure.library_path;
  const MajorsText built_for = majors_like(library, failure.caller_major);
  const MajorsText its = majors_like(library, failure.library_major);
  const bool is_other = failure.caller_major == kOtherMajor;
  if (failure.caller_major == kUnversionedCaller ||
      share_soname(library, failure.caller_major, failure.library_major)) {
    message.add_line("  the %s of this process: %s", library.product, path);
  } else {
    message.add_line(
        "  the %s of this process: %s, of CUDA %s; the calling program was built for %s%s",
        library.product, path, its.text, is_other ? "another CUDA" : "CUDA ",
        is_other ? "" : built_for.text);
  }
  if (failure.hint != nullptr) {
    message.add("  what to do: %s.\n", failure.hint);
  } else if (is_other || !is_of_callers_cuda(library, failure)) {
    message.add(
        "  what to do: install %s %s of %s%s; if other CUDA versions stay installed, also set "
        "ANYCUDA_CROSS_MAJOR=reject.\n",
        article_of(library.product), library.product, is_other ? "the program's CUDA" : "CUDA ",
        is_other ? "" : built_for.text);
  } else if (library.earlier_soname != nullptr) {
    message.add("  what to do: install %s instead, or do without the function.\n",
                library.earlier_soname);
  } else {
    add_other_release(&message, failure, library);
  }
  message.send();
}

void report_shortage(int error, const char* function) {
  static std::atomic<std::uint64_t> shortages_reported{0};  // one bit for each cause
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(error) % 64);
  if ((shortages_reported.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  const ShortageText text = describe_shortage(error);
  log_line(LogLevel::error,
           "%s failed: %s while the %s was looked for; %s; the next call searches again", function,
           text.cause, kLibrary.product, text.remedy);
}

}  // namespace anycuda
