#include "loader/report.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "loader/advice.h"
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

}  // namespace

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
    message.add("  ANYCUDA_CROSS_MAJOR=%s is not understood\n", search->wrong_setting);
  }
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
