// SPDX-License-Identifier: Apache-2.0

// The one message that a failing stub gives: what was looked for, what was found, what to do.
//
// A question is a call by which a program asks whether CUDA is installed (`questions` in
// stubs/<library>/library.json). On a machine without any file of the library the answer is "no",
// which is not a failure: it is reported only from the level warn on.
#pragma once

#include <atomic>

#include "compat/base/log.h"
#include "compat/search/search_report.h"
#include "loader/message.h"
#include "loader/short_report.h"

namespace anycuda {

// The memory that a message needs in the arena, and that its reasons need: a search must leave
// both.
constexpr std::size_t kReasonBytes = std::size_t{32} << 10;
constexpr std::size_t kReportBytes = kMessageBytes + kReasonBytes;

// The message of a search that found nothing usable: what failed, what was looked for, why it is
// not usable, what to do. From the level warn on it has every candidate; else five lines at most.
// Only the first message of a process's stub is written. `report` is nullptr if a search was
// impossible for lack of memory.
void report_no_library(const Report* report, Arena* arena, const FailedCall& call);

// A search that found nothing and was not reported: four times the number of folders that it looked
// into, 2 in Python, and 1. 0: every search was reported or found something.
extern std::atomic<int> silent_search;

// The same for a later call that is not a question, if one was the first and was not reported.
inline bool is_unreported(bool is_question) {
  return !is_question && silent_search.load(std::memory_order_relaxed) != 0;
}
void report_silent_failure(const FailedCall& call);

// The message of a search that met a shortage. `error`: of the shortage (compat/base/shortage.h).
// Written once for each cause.
void report_shortage(int error, const char* function);

// Logs the library that a search has chosen and the candidates that it passed over (level info),
// and warnings about the chosen library (level warn).
void report_choice(const Report& report, Arena* arena);

// The major of an adapter's caller differs from the library's; only the caller's disposition knew
// which it is.
constexpr int kOtherMajor = -1;

// What to do where the driver is too old for a call: drivers keep every function.
constexpr const char* kNewerDriver = "install a newer CUDA driver";

// A call whose function the opened library does not have, or must not be given.
struct FunctionFailure {
  const char* function;
  const char* reason;
  int status;  // what the call returns
  int caller_major;
  int library_major;
  const char* library_path;
  const char* hint = nullptr;  // what to do, where the majors do not tell
};
void report_no_function(const FunctionFailure& failure, const LibraryDescriptor& library);

}  // namespace anycuda
