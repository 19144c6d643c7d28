#include "loader/report.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "loader/advice.h"
#include "loader/candidate_version.h"
#include "loader/reason.h"

namespace anycuda {
namespace {

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
    if (text_ != nullptr) log_text(text_, size_);
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
    message->add("  %-28s ", place_name(place, search.library));
    if (!search.searched[p]) {
      message->add("not searched\n");
    } else if (place == Place::variable) {
      message->add("%s\n", files == 0 ? "not set" : "set");
    } else if (place == Place::loaded) {
      message->add("%d found\n", files);
    } else {
      message->add("%d in %d folder%s\n", files, search.folders[p],
                   search.folders[p] == 1 ? "" : "s");
    }
  }
}

// A usable file with its version; which one it is need not have mattered before.
void add_candidate(Message* message, Candidate* candidate, Search* search) {
  if (candidate->image.state != FileState::usable) {
    return message->add("  %s: %s\n", candidate->path, reason_of(*candidate, search));
  }
  if (!search->library.is_driver) read_toolkit_version(search, candidate);
  message->add("  %s (%s): %s\n", candidate->path, version_in_words(*candidate, &search->arena),
               reason_of(*candidate, search));
}

void add_wrong_settings(Message* message, const Policy& policy) {
  for (int i = 0; i < policy.wrong_count; ++i) {
    const WrongSetting& wrong = policy.wrong[i];
    message->add("  %s=%s is not understood: it may be %s (default: %s)\n", wrong.variable,
                 wrong.value, values_of(wrong.variable), wrong.fallback);
  }
}

bool is_newer(const Candidate& candidate, const Candidate& chosen) {
  return newer(known_version(candidate), known_version(chosen));
}

void report_passed_over(Search* search, const Candidate& chosen) {
  for (const Candidate* c = search->first; c != nullptr; c = c->next) {
    if (c == &chosen || c->image.state != FileState::usable || !is_newer(*c, chosen)) continue;
    const bool rival = c->verdict == Verdict::accepted && c->place == chosen.place && !c->tried;
    if (c->verdict == Verdict::accepted && !rival) continue;
    const std::size_t mark = search->arena.mark();
    log_line(LogLevel::info, "%s: passed over %s (%s): %s", search->library.name, c->path,
             version_in_words(*c, &search->arena),
             rival ? reason_of_preference(chosen, *c, search) : reason_of(*c, search));
    search->arena.rewind(mark);
  }
}

}  // namespace

void report_choice(Search* search, const Candidate& chosen) {
  const LibraryDescriptor& library = search->library;
  const std::size_t mark = search->arena.mark();
  const char* version = version_in_words(chosen, &search->arena);
  log_line(LogLevel::info, "%s: using %s (%s)", library.name, chosen.path, version);
  if (log_enabled(LogLevel::info)) report_passed_over(search, chosen);
  const bool makes_ptx = library.rules.output == Output::ptx;
  if (makes_ptx && !compiles_ptx_of(search->driver, known_version(chosen))) {
    log_line(LogLevel::warn,
             "%s: %s (%s) is newer than %s, of CUDA %d.%d: that driver cannot compile the PTX it "
             "makes; CUBIN runs (compile for the GPU's own sm_XX)",
             library.name, chosen.path, version, search->driver_path, search->driver.cuda.major,
             search->driver.cuda.minor);
  }
  search->arena.rewind(mark);
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
  for (Candidate* c = search->first; c != nullptr; c = c->next) add_candidate(&message, c, search);
  add_wrong_settings(&message, search->policy);
  message.add("  what to do: %s.\n", advice_after(search));
  message.send();
}

void report_no_function(const FunctionFailure& failure, const LibraryDescriptor& library) {
  if (!first_report() && !log_enabled(LogLevel::warn)) return;
  Arena arena;
  if (!arena.usable()) {
    return log_line(LogLevel::error, "%s failed: %s", failure.function, failure.reason);
  }
  Message message(&arena);
  message.add("anycuda: %s failed (status %d): %s.\n", failure.function, failure.status,
              failure.reason);
  message.add("  the %s of this process: %s", library.product, failure.library_path);
  if (failure.caller_major == kOtherMajor) {
    message.add(
        ", of CUDA %d; the calling program was built for another\n  what to do: install a %s of "
        "the program's CUDA, and set ANYCUDA_CROSS_MAJOR=reject if another stays beside it.\n",
        failure.library_major, library.product);
    return message.send();
  }
  if (failure.caller_major != kNativeCaller) {
    message.add(", of CUDA %d; the calling program was built for CUDA %d", failure.library_major,
                failure.caller_major);
  }
  if (advice_for(failure.caller_major, failure.library_major) == FunctionAdvice::own_major) {
    message.add(
        "\n  what to do: install a %s of CUDA %d, and set ANYCUDA_CROSS_MAJOR=reject if another "
        "stays beside it.\n",
        library.product, failure.caller_major);
  } else {
    message.add("\n  what to do: install a newer %s, or do without the function.\n",
                library.product);
  }
  message.send();
}

}  // namespace anycuda
