#include "graph/lost_exceptions.h"

#include <cstdio>
#include <mutex>

#include "anycuda/graph/drain.h"

namespace anycuda::graph {
namespace {

constexpr std::size_t kKept = 16;
constexpr std::size_t kLongest = 256;  // with the zero at the end

// Constants before main, and nothing runs at exit: callbacks may outlive both.
std::mutex lock;  // for a copy of a text
std::size_t count = 0;
char texts[kKept][kLongest];

thread_local char asked[kLongest];

}  // namespace

void keep_exception(const char* text) noexcept {
  const std::lock_guard<std::mutex> locked(lock);
  std::snprintf(texts[count % kKept], kLongest, "%s", text != nullptr ? text : "");
  ++count;
}

std::size_t lost_exceptions() noexcept {
  const std::lock_guard<std::mutex> locked(lock);
  return count;
}

const char* lost_exception(std::size_t number) noexcept {
  const std::lock_guard<std::mutex> locked(lock);
  const bool kept = number < count && count - number <= kKept;
  std::snprintf(asked, kLongest, "%s", kept ? texts[number % kKept] : "");
  return asked;
}

}  // namespace anycuda::graph
