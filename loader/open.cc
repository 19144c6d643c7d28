// SPDX-License-Identifier: Apache-2.0
#include "loader/open.h"

#include "compat/base/environment.h"
#include "compat/base/shortage.h"
#include "compat/search/driver/driver_lookup.h"
#include "compat/search/policy.h"
#include "compat/search/search.h"
#include "loader/process/load_mark.h"
#include "loader/report.h"
#include "loader/stub_copies.h"

namespace anycuda {
namespace {

// Per symbol version: what was loaded when a search last failed. After a failure only libraries
// loaded since are tried; the disk is never searched again.
constexpr int kMaxSymbolVersions = 8;
LoadMark failed_at[kMaxSymbolVersions];

const Opened* publish(const Report& report, Arena* arena) {
  const Candidate& chosen = *report.chosen;
  const Found found{known_version(chosen), static_cast<int>(chosen.tier), report.handle,
                    chosen.path};
  bool is_new = false;
  const Opened* library = choose_for_all_copies(found, &is_new);
  if (is_new) report_choice(report, arena);
  return library;
}

// An open library serves callers of every major that the policy accepts.
bool may_serve(const Opened& library, int caller_major, CrossMajor cross_major) {
  CandidateQuery query;
  query.library = kLibrary.rules;
  query.candidate.version = library.version;
  query.candidate.is_later = kLibrary.earlier_soname != nullptr && library.major_index >= 0;
  query.candidate.loaded = true;
  query.caller_major = caller_major;
  query.caller_newest_major = kLibrary.newest_like(caller_major);
  query.loaded_major = library.version.major;
  query.cross_major = cross_major;
  return evaluate(query) == Verdict::accepted;
}

// Reserves the memory for the report of a failure, however much the search takes.
const Report* search_with_reserve(const Request& request, Arena* arena) {
  share_absent_names();
  const ArenaReserve for_report(arena, kReportBytes);
  return search(request, this_machine(), arena);
}

const Opened* search_for(int symbol_version, const void* caller, const char* function,
                         bool is_question) {
  if (const Opened* library = join_choice()) return library;
  LoadMark& failed = failed_at[symbol_version];
  const bool has_failed = failed.is_set();
  if (failed.is_latest()) return nullptr;
  // The file that the user names was refused; to adopt another would be to replace it.
  if (has_failed && environment_variable(kLibrary.variable) != nullptr) return nullptr;
  const std::uint64_t before = shortages();
  report_wrong_settings();
  Request request{&kLibrary, &kTables, major_of_symbol_version(symbol_version), caller,
                  read_policy()};
  if (has_failed) request.tiers = only(SearchTier::loaded);
  Arena arena;
  const Report* report = search_with_reserve(request, &arena);
  if (report != nullptr && report->handle != nullptr) return publish(*report, &arena);
  // Another thread may have had what this one lacked (memory, a free file descriptor).
  if (const Opened* other = known_library()) return other;
  // It says nothing of what is installed: the next call searches again, the disk too.
  if (const int shortage = shortage_since(before)) {
    report_shortage(shortage, function);
    return nullptr;
  }
  const std::uint64_t loads = load_count_for_mark();
  // Another thread has loaded a library meanwhile, or this search, which has closed it again.
  const std::uint64_t loads_before = report != nullptr ? report->loads : 0;
  const bool looks_again =
      loads != loads_before && environment_variable(kLibrary.variable) == nullptr;
  request.tiers = only(SearchTier::loaded);
  const Report* const late = looks_again ? search_with_reserve(request, &arena) : nullptr;
  if (late != nullptr && late->handle != nullptr) return publish(*late, &arena);
  // Without memory for that look the next call searches once more.
  if (!looks_again || late != nullptr) failed.set(loads);
  report_no_library(report, &arena, {function, request.caller_major, is_question});
  return nullptr;
}

}  // namespace

const Opened* known_library() {
  const Opened* library = opened_library();
  return library != nullptr ? library : join_choice();
}

void open_silently(int symbol_version, const void* caller) {
  keep_environment();
  if (serving_copy() != nullptr || known_library() != nullptr) return;
  const Request request{&kLibrary, &kTables, major_of_symbol_version(symbol_version), caller,
                        read_policy()};
  Arena arena;
  const Report* report = search_with_reserve(request, &arena);
  if (report != nullptr && report->handle != nullptr) publish(*report, &arena);
}

int major_of_symbol_version(int symbol_version) {
  return symbol_version == kUnversioned ? kUnversionedCaller
                                        : kLibrary.majors[symbol_version - 1].major;
}

const Opened* open_library(int symbol_version, const void* caller, const char* function,
                           bool is_question) {
  keep_environment();
  const Opened* library = opened_library();
  if (library == nullptr) library = search_for(symbol_version, caller, function, is_question);
  if (library == nullptr && is_unreported(is_question)) {
    report_silent_failure({function, major_of_symbol_version(symbol_version), is_question});
  }
  if (library == nullptr || symbol_version == kUnversioned) return library;
  if (may_serve(*library, major_of_symbol_version(symbol_version), read_cross_major()))
    return library;
  const bool unknown = library->version.major > kLibrary.rules.newest_known_major;
  report_no_function(
      {function,
       unknown ? "the library is of a newer CUDA than this anycuda knows; update anycuda"
               : "ANYCUDA_CROSS_MAJOR=reject allows the caller's own major only",
       kTables.status_no_library, major_of_symbol_version(symbol_version), library->version.major,
       library->path,
       unknown ? nullptr
               : "unset ANYCUDA_CROSS_MAJOR, or use only programs and libraries that are built for "
                 "one major"},
      kLibrary);
  return nullptr;
}

}  // namespace anycuda
