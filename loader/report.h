// The one message that a failing stub gives: what was looked for, what was found, what to do.
//
// A question is how a program asks whether CUDA is there (`questions` in
// stubs/<library>/library.json). Where the machine has nothing of the library, "no" is the answer
// and not a failure: it is not reported, except from the level warn on.
#pragma once

#include <atomic>

#include "compat/base/log.h"
#include "compat/search/report.h"
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

// How many folders a search looked into that found nothing and was not reported, plus 1; 0: every
// search was reported or found something.
extern std::atomic<int> silent_folders;

// The same for a later call that is not a question, if one was the first and was not reported.
inline bool is_unreported(bool is_question) {
  return !is_question && silent_folders.load(std::memory_order_relaxed) != 0;
}
void report_silent_failure(const FailedCall& call);

// What a search has taken, at level info, with what was passed over for it; at level warn what the
// program must know of it.
void report_choice(const Report& report, Arena* arena);

// The major of an adapter's caller is another than the library's; which, only the caller's
// disposition knew.
constexpr int kOtherMajor = -1;

// A call whose function the opened library does not have, or must not be given.
struct FunctionFailure {
  const char* function;
  const char* reason;
  int status;  // what the call returns
  int caller_major;
  int library_major;
  const char* library_path;
};
void report_no_function(const FunctionFailure& failure, const LibraryDescriptor& library);

}  // namespace anycuda
