#include "loader/report.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "loader/environment.h"
#include "loader/reason.h"

namespace anycuda {
namespace {

struct LogTarget {
  LogLevel level;
  const char* file;   // nullptr: stderr
  const char* wrong;  // the text that is no setting, nullptr if all is well
};

LogTarget log_target() {
  const char* text = environment_variable("ANYCUDA_LOG");
  if (text == nullptr) return {LogLevel::error, nullptr, nullptr};
  const char* const names[] = {"off", "error", "warn", "info", "debug"};
  for (int i = 0; i < 5; ++i) {
    if (std::strcmp(text, names[i]) == 0) return {static_cast<LogLevel>(i), nullptr, nullptr};
  }
  if (*text == '/') return {LogLevel::debug, text, nullptr};
  return {LogLevel::error, nullptr, text};
}

// One write, so that lines of several threads or processes do not mix.
void write_text(const char* text, std::size_t size) {
  const LogTarget target = log_target();
  const int file = target.file != nullptr
                       ? open(target.file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)
                       : STDERR_FILENO;
  if (file < 0) return;
  while (size > 0) {
    const ssize_t done = write(file, text, size);
    if (done <= 0) break;
    text += done;
    size -= static_cast<std::size_t>(done);
  }
  if (target.file != nullptr) close(file);
}

void log_arguments(LogLevel level, const char* text, va_list arguments) {
  if (!log_enabled(level)) return;
  char line[2048] = "anycuda: ";
  const std::size_t start = std::strlen(line);
  std::vsnprintf(line + start, sizeof line - start - 1, text, arguments);
  std::strcat(line, "\n");
  write_text(line, std::strlen(line));
}

std::atomic<bool> reported{false};

bool first_report() {
  return log_enabled(LogLevel::error) && !reported.exchange(true, std::memory_order_relaxed);
}

// A text that grows in pieces of an arena-backed buffer; what does not fit is cut.
class Message {
 public:
  explicit Message(Arena* arena) : text_(static_cast<char*>(arena->take(kSize))), size_(0) {}
  void add(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    if (text_ == nullptr || size_ >= kSize - 1) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + size_, kSize - size_, format, arguments);
    va_end(arguments);
    if (length > 0) size_ += static_cast<std::size_t>(length);
    if (size_ > kSize - 1) size_ = kSize - 1;
  }
  void send() const {
    if (text_ != nullptr) write_text(text_, size_);
  }

 private:
  static constexpr std::size_t kSize = 64 << 10;
  char* text_;
  std::size_t size_;
};

void add_sonames(Message* message, const LibraryDescriptor& library) {
  for (int i = library.major_count - 1; i >= 0; --i) {
    message->add("%s%s", library.majors[i].soname, i > 0 ? ", " : "\n");
  }
}

void add_places(Message* message, const Search& search) {
  for (int p = 0; p < kPlaceCount; ++p) {
    const auto place = static_cast<Place>(p);
    int files = 0;
    for (const Candidate* c = search.first; c != nullptr; c = c->next) files += c->place == place;
    if (place == Place::variable && files == 0) {
      message->add("  %-28s not set\n", place_name(place, search.library));
    } else if (place == Place::variable || place == Place::loaded) {
      message->add("  %-28s %d found\n", place_name(place, search.library), files);
    } else {
      message->add("  %-28s %d in %d folders\n", place_name(place, search.library), files,
                   search.folders[p]);
    }
  }
}

bool refused_for_driver(const Search& search) {
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    if (c->verdict == Verdict::driver_too_old || c->verdict == Verdict::driver_branch_short) {
      return true;
    }
  }
  return false;
}

void add_advice(Message* message, const Search& search) {
  if (refused_for_driver(search)) {
    message->add("  what to do: update the driver, or install a %s of CUDA %d or older.\n",
                 search.library.product, search.driver.cuda.major);
  } else {
    message->add("  what to do: %s, or set %s to the library's full path.\n", search.library.advice,
                 search.library.variable);
  }
}

}  // namespace

bool log_enabled(LogLevel level) { return level <= log_target().level; }

void log_line(LogLevel level, const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  log_arguments(level, text, arguments);
  va_end(arguments);
}

void report_wrong_log_setting() {
  static std::atomic<bool> said{false};
  const char* wrong = log_target().wrong;
  if (wrong == nullptr || said.exchange(true, std::memory_order_relaxed)) return;
  log_line(
      LogLevel::error,
      "ANYCUDA_LOG=%s is not understood: off, error (the default), warn, info, debug, or a file "
      "by its full path",
      wrong);
}

void log_step(const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  log_arguments(LogLevel::debug, text, arguments);
  va_end(arguments);
}

void report_no_library(Search* search, const char* function) {
  if (!first_report()) return;
  const LibraryDescriptor& library = search->library;
  if (!search->arena.usable()) {
    return log_line(LogLevel::error, "%s: no memory to look for the %s; called: %s", library.name,
                    library.product, function);
  }
  Message message(&search->arena);
  message.add("anycuda: %s failed: no usable %s was found.\n", function, library.product);
  if (search->caller_major != kNativeCaller) {
    message.add("  the calling program was built for CUDA %d\n", search->caller_major);
  }
  message.add("  looked for: ");
  add_sonames(&message, library);
  add_places(&message, *search);
  for (const Candidate* c = search->first; c != nullptr; c = c->next) {
    message.add("  %s: %s\n", c->path, reason_of(*c, search));
  }
  if (search->wrong_setting != nullptr) {
    message.add("  ANYCUDA_CROSS_MAJOR=%s is not understood: adapt (the default) or reject\n",
                search->wrong_setting);
  }
  add_advice(&message, *search);
  message.send();
}

void report_no_function(const char* function, const char* library_path, const char* reason) {
  if (first_report() || log_enabled(LogLevel::warn)) {
    log_line(LogLevel::error, "%s failed: %s (library: %s)", function, reason, library_path);
  }
}

}  // namespace anycuda
