// SPDX-License-Identifier: Apache-2.0
#include "compat/base/shortage.h"

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

}  // namespace anycuda
