// SPDX-License-Identifier: Apache-2.0

// The log of a stub. ANYCUDA_LOG=off|error|warn|info|debug|FILE, error by default (off in a stub
// that is marked quiet, mark.h). error: one message, at the first call that fails. warn: one for
// every function whose call fails, and features of the opened library that may not work. info: also
// which library was opened and which candidates were passed over for it. debug: every step, as
// LD_DEBUG=libs does; an absolute FILE gets the debug log in place of stderr.
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

// The invalid value of ANYCUDA_LOG, nullptr if it is valid.
const char* wrong_log_setting();
// Reports once that ANYCUDA_LOG or ANYCUDA_SYSTEM_ROOT has an invalid value, if one of them has.
void report_wrong_settings();

}  // namespace anycuda
