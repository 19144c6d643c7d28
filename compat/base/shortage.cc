// SPDX-License-Identifier: Apache-2.0
#include "compat/base/shortage.h"

#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <initializer_list>

namespace anycuda {
namespace {

// The number of shortages, and in the lowest byte the errno of the last one.
std::atomic<std::uint64_t> all_noted{0};
constexpr std::uint64_t kOne = 256;

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN || error == EINTR;
}

bool is_limited(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// Each of the two limits can fail mmap(), and the kernel does not say which one did.
const char* memory_remedy() {
  const bool data = is_limited(RLIMIT_DATA);
  if (is_limited(RLIMIT_AS)) {
    return data ? "raise ulimit -v or ulimit -d, or free memory" : "raise ulimit -v or free memory";
  }
  return data ? "raise ulimit -d or free memory" : "free memory";
}

}  // namespace

void note_shortage(int error) {
  if (!is_shortage(error)) return;
  const auto code = static_cast<std::uint64_t>(error);
  std::uint64_t before = all_noted.load(std::memory_order_relaxed);
  while (!all_noted.compare_exchange_weak(before, (before / kOne + 1) * kOne + code,
                                          std::memory_order_acq_rel)) {
  }
}

// The linker's messages end in strerror()'s text. "cannot allocate memory in static TLS block" has
// none: that block does not grow.
void note_shortage(const char* dlerror_text) {
  for (const int error : {ENFILE, EMFILE, ENOMEM, EAGAIN, EINTR}) {
    if (std::strstr(dlerror_text, std::strerror(error)) != nullptr) return note_shortage(error);
  }
  if (std::strstr(dlerror_text, "out of memory") != nullptr) note_shortage(ENOMEM);
}

std::uint64_t shortages() { return all_noted.load(std::memory_order_acquire); }

int shortage_since(std::uint64_t before) {
  const std::uint64_t now = shortages();
  return now != before ? static_cast<int>(now % kOne) : 0;
}

ShortageText describe_shortage(int error) {
  switch (error) {
    case EMFILE:
      return {"file descriptors have run out (EMFILE)", "raise ulimit -n or close files"};
    case ENFILE:
      return {"the system's file descriptors have run out (ENFILE)",
              "raise fs.file-max or end programs"};
    case ENOMEM:
      return {"memory has run out (ENOMEM)", memory_remedy()};
    case EAGAIN:
      return {"the system was short of a resource (EAGAIN)", "call again"};
    default:
      return {"a signal interrupted the search (EINTR)", "call again"};
  }
}

}  // namespace anycuda
