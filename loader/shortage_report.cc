// SPDX-License-Identifier: Apache-2.0
#include "loader/shortage_report.h"

#include <atomic>
#include <cstdint>

#include "compat/base/log.h"
#include "compat/base/shortage.h"
#include "loader/tables.h"

namespace anycuda {

void report_shortage(int error, const char* function) {
  static std::atomic<std::uint64_t> reported{0};  // one bit for each cause
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(error) % 64);
  if ((reported.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  const ShortageText text = describe_shortage(error);
  log_line(LogLevel::error,
           "%s failed: %s while the %s was looked for; %s; the next call searches again", function,
           text.cause, kLibrary.product, text.remedy);
}

}  // namespace anycuda
