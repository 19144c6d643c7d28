#include "loader/open.h"

#include <atomic>

#include "compat/base/environment.h"
#include "compat/base/kept.h"
#include "compat/search/driver/driver.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/policy.h"
#include "compat/search/search.h"
#include "loader/report.h"

namespace anycuda {
namespace {

std::atomic<const Opened*> opened{nullptr};

// Per symbol version: load_count() + 1 when a search last failed; 0: never searched. After a
// failure only libraries loaded since are tried; the disk is never searched again.
constexpr int kMaxSymbolVersions = 8;
std::atomic<std::uint64_t> failed_at[kMaxSymbolVersions];

const Opened* publish(const Report& report, Arena* arena) {
  const Version version = known_version(*report.chosen);
  const Opened record{report.handle, version, kLibrary.index_of(version.major), nullptr};
  const Opened* mine = keep(record, &Opened::path, report.chosen->path);
  if (mine == nullptr) return nullptr;
  const Opened* other = nullptr;
  if (!opened.compare_exchange_strong(other, mine, std::memory_order_acq_rel)) return other;
  report_choice(report, arena);
  return mine;
}

// A library that is open already serves a caller of any major that the policy lets it serve.
bool may_serve(const Opened& library, int caller_major, CrossMajor cross_major) {
  CandidateQuery query;
  query.library = kLibrary.rules;
  query.candidate.version = library.version;
  query.candidate.loaded = true;
  query.caller_major = caller_major;
  query.loaded_major = library.version.major;
  query.cross_major = cross_major;
  return evaluate(query) == Verdict::accepted;
}

// Reserves the memory for the report of a failure, however much the search takes.
const Report* search_with_reserve(const Request& request, Arena* arena) {
  const ArenaReserve for_report(arena, kReportBytes);
  return search(request, this_machine(), arena);
}

const Opened* search_for(int symbol_version, const void* caller, const char* function) {
  // Counted before the search: what somebody loads during it is looked at next time.
  const std::uint64_t now = load_count() + 1;
  const std::uint64_t failed = failed_at[symbol_version].load(std::memory_order_relaxed);
  if (failed == now) return nullptr;
  // The file that the user names was refused; to adopt another would be to replace it.
  if (failed != 0 && environment_variable(kLibrary.variable) != nullptr) return nullptr;
  report_wrong_log_setting();
  Request request{&kLibrary, &kTables, major_of_symbol_version(symbol_version), caller,
                  read_policy()};
  if (failed != 0) request.tiers = only(SearchTier::loaded);
  Arena arena;
  const Report* report = search_with_reserve(request, &arena);
  if (report != nullptr && report->handle != nullptr) return publish(*report, &arena);
  // Another thread may have had what this one lacked (memory, a free file descriptor).
  if (const Opened* other = opened_library()) return other;
  failed_at[symbol_version].store(now, std::memory_order_relaxed);
  report_no_library(report, &arena, function);
  return nullptr;
}

}  // namespace

int major_of_symbol_version(int symbol_version) {
  return symbol_version == kNativeSymbolVersion ? kNativeCaller
                                                : kLibrary.majors[symbol_version - 1].major;
}

const Opened* opened_library() { return opened.load(std::memory_order_acquire); }

const Opened* open_library(int symbol_version, const void* caller, const char* function) {
  const Opened* library = opened_library();
  if (library == nullptr) library = search_for(symbol_version, caller, function);
  if (library == nullptr || symbol_version == kNativeSymbolVersion) return library;
  if (may_serve(*library, major_of_symbol_version(symbol_version), read_policy().cross_major))
    return library;
  const bool unknown = library->version.major > kLibrary.rules.newest_known_major;
  report_no_function(
      {function,
       unknown ? "the library is of a newer CUDA than this anycuda knows; update anycuda"
               : "ANYCUDA_CROSS_MAJOR=reject allows the caller's own major only",
       kTables.status_no_library, major_of_symbol_version(symbol_version), library->version.major,
       library->path},
      kLibrary);
  return nullptr;
}

}  // namespace anycuda
