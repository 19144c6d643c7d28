// The one message that a failing stub gives: what was looked for, what was found, what to do.
#pragma once

#include "compat/base/log.h"
#include "compat/search/report.h"

namespace anycuda {

// The memory that a message needs in the arena, and that its reasons need: a search must leave
// both.
constexpr std::size_t kMessageBytes = std::size_t{64} << 10;
constexpr std::size_t kReasonBytes = std::size_t{32} << 10;
constexpr std::size_t kReportBytes = kMessageBytes + kReasonBytes;

// The message of a search that found nothing usable: what was looked for, the candidates with
// their reasons and how many more files there are, what to do. Only the first message of a
// process's stub is written. `report` is nullptr if a search was impossible for lack of memory.
void report_no_library(const Report* report, Arena* arena, const char* function);

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
