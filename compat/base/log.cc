// SPDX-License-Identifier: Apache-2.0
#include "compat/base/log.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "compat/base/environment.h"
#include "compat/base/text.h"
#include "compat/base/uncancelled.h"

// The mark that `anycuda repair` writes into the stubs of a wheel
// (packaging/python/anycuda/elf/mark.py): a note of the owner "anycuda" and the type 1, whose
// descriptor is four bytes of flags. In assembler, since a compiler would make data of the section,
// and linkers keep only notes even if nothing refers to them.
asm(R"(
    .pushsection .note.anycuda, "a", %note
    .p2align 2
    .long 8, 4, 1
    .asciz "anycuda"
    .globl anycuda_mark
    .hidden anycuda_mark
    .type anycuda_mark, %object
    .size anycuda_mark, 4
anycuda_mark:
    .long 0
    .popsection
)");

// Volatile: the file is changed after it was linked.
extern "C" __attribute__((visibility("hidden"))) const volatile std::uint32_t anycuda_mark;

namespace anycuda {
namespace {

// A quiet stub writes messages only where ANYCUDA_LOG is set.
constexpr std::uint32_t kQuiet = 1;
bool is_marked_quiet() { return (anycuda_mark & kQuiet) != 0; }

struct LogTarget {
  LogLevel level;
  const char* file;   // nullptr: stderr
  const char* wrong;  // the invalid text, nullptr if the setting is valid
};

// Each step of a search asks for it. "": unset.
const char* setting() {
  static std::atomic<const char*> known{nullptr};
  const char* text = known.load(std::memory_order_acquire);
  if (text != nullptr) return text;
  const bool never_changes = is_environment_kept();
  text = environment_variable("ANYCUDA_LOG");
  if (text == nullptr) text = "";
  if (never_changes) known.store(text, std::memory_order_release);
  return text;
}

LogTarget log_target() {
  const char* text = setting();
  if (*text == '\0') {
    return {is_marked_quiet() ? LogLevel::off : LogLevel::error, nullptr, nullptr};
  }
  const char* const names[] = {"off", "error", "warn", "info", "debug"};
  for (int i = 0; i < 5; ++i) {
    if (std::strcmp(text, names[i]) == 0) return {static_cast<LogLevel>(i), nullptr, nullptr};
  }
  if (*text == '/') return {LogLevel::debug, text, nullptr};
  return {LogLevel::error, nullptr, text};
}

// A message must not be lost because its file cannot be written: it goes to stderr then.
int open_target(const LogTarget& target) {
  if (target.file == nullptr) return STDERR_FILENO;
  // Not blocking: a pipe of that name without a reader must not stop the program.
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const int file = open(target.file, kFlags, 0644);
  return file >= 0 ? file : STDERR_FILENO;
}

void log_arguments(LogLevel level, const char* format, va_list arguments) {
  if (!log_enabled(level)) return;
  char line[2048] = "anycuda: ";
  const std::size_t start = std::strlen(line);
  std::vsnprintf(line + start, sizeof line - start - 1, format, arguments);
  text::as_one_line(line);
  std::size_t size = std::strlen(line);
  line[size++] = '\n';  // in place of the zero
  log_text(line, size);
}

// One write, so that lines of several threads or processes do not mix.
void write_all(int file, const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t done = write(file, text, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    text += done;
    size -= static_cast<std::size_t>(done);
  }
}

// A message must not end the program, as SIGPIPE would if stderr has no reader any more. The signal
// is blocked for this thread, and discarded if this write raised it.
void write_quietly(int file, const char* text, std::size_t size) {
  sigset_t pipe_signal;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  const bool pending_before = sigismember(&pending, SIGPIPE) == 1;
  // Linux's sigprocmask is the calling thread's; pthread_sigmask is in another library before
  // glibc 2.32.
  if (sigprocmask(SIG_BLOCK, &pipe_signal, &before) != 0) return;
  write_all(file, text, size);
  sigpending(&pending);
  if (!pending_before && sigismember(&pending, SIGPIPE) == 1) {
    const timespec at_once = {0, 0};
    sigtimedwait(&pipe_signal, nullptr, &at_once);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

bool log_enabled(LogLevel level) { return level <= log_target().level; }

void log_text(const char* text, std::size_t size) {
  const Uncancelled uncancelled;
  const int file = open_target(log_target());
  write_quietly(file, text, size);
  if (file != STDERR_FILENO) close(file);
}

void log_line(LogLevel level, const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  log_arguments(level, text, arguments);
  va_end(arguments);
}

const char* wrong_log_setting() { return log_target().wrong; }

void report_wrong_settings() {
  static std::atomic<bool> reported{false};
  const char* level = wrong_log_setting();
  const char* root = wrong_system_root();
  if (level == nullptr && root == nullptr) return;
  if (reported.exchange(true, std::memory_order_relaxed)) return;
  if (level != nullptr) {
    log_line(LogLevel::error,
             "invalid ANYCUDA_LOG=%s: expected off, error, warn, info, debug or the full path of a "
             "file; default: error",
             level);
  }
  if (root != nullptr) {
    log_line(LogLevel::error,
             "invalid ANYCUDA_SYSTEM_ROOT=%s: expected the full path of a folder; default: /",
             root);
  }
}

void log_step(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  log_arguments(LogLevel::debug, text, arguments);
  va_end(arguments);
}

}  // namespace anycuda
