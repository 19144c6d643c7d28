// Where a stub's words go. ANYCUDA_LOG=off|error|warn|info|debug|FILE, error by default (off in a
// stub that is marked quiet, mark.h): one message, at the first call that fails. warn: one for
// every failing call's function, and what of the opened library may not work. info: also which
// library was opened and what was passed over for it. debug: every step, as LD_DEBUG=libs tells
// them; an absolute FILE gets those in place of stderr.
#pragma once

#include <cstddef>

namespace anycuda {

enum class LogLevel : int { off, error, warn, info, debug };

bool log_enabled(LogLevel level);
// One line, prefixed with "anycuda: ", written at once.
void log_line(LogLevel level, const char* text, ...) __attribute__((format(printf, 2, 3)));
void log_step(const char* text, ...) __attribute__((format(printf, 1, 2)));  // debug
// A ready text of several lines.
void log_text(const char* text, std::size_t size);

// The value of ANYCUDA_LOG that means nothing, nullptr if all is well.
const char* wrong_log_setting();
// Says once that ANYCUDA_LOG has a value that means nothing, if it has.
void report_wrong_log_setting();

}  // namespace anycuda
