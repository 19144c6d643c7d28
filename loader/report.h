// What a stub says, and to whom. ANYCUDA_LOG=off|error|warn|info|debug|FILE, error by default:
// one message, at the first call that fails. debug tells every step, as LD_DEBUG=libs does; an
// absolute FILE gets those steps instead of stderr.
#pragma once

#include "loader/candidate.h"

namespace anycuda {

enum class LogLevel : int { off, error, warn, info, debug };

bool log_enabled(LogLevel level);
// One line, prefixed with "anycuda: ", written at once.
void log_line(LogLevel level, const char* text, ...) __attribute__((format(printf, 2, 3)));
void log_step(const char* text, ...) __attribute__((format(printf, 1, 2)));  // debug

// Says once that ANYCUDA_LOG has a value that means nothing, if it has.
void report_wrong_log_setting();

// The message of a search that found nothing usable: what was looked for, every candidate with
// its reason, what to do. Only the first message of a process's stub is written.
void report_no_library(Search* search, const char* function);

// The message of a call whose function the opened library does not have, or must not be given.
void report_no_function(const char* function, const char* library_path, const char* reason);

}  // namespace anycuda
