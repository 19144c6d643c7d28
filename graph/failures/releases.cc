// SPDX-License-Identifier: Apache-2.0
#include "graph/failures/releases.h"

#include "anycuda/graph/drain.h"
#include "anycuda/graph/exception.h"
#include "graph/failures/text_ring.h"

namespace anycuda::graph {
namespace {

TextRing failures;

}  // namespace

std::size_t failed_releases() noexcept { return failures.count(); }

const char* failed_release(std::size_t number) noexcept {
  thread_local TextRing::Text asked;
  return failures.copy(number, asked);
}

void record_failed_release(const char* text) noexcept { failures.add(text); }

void record_failed_release(const char* what, CUresult status) noexcept {
  TextRing::Text text;
  std::snprintf(text, sizeof text, "%s: %s (%u)", what != nullptr ? what : "", name_of(status),
                static_cast<unsigned>(status));
  failures.add(text);
}

void check_release(const char* function, unsigned status) noexcept {
  if (status != CUDA_SUCCESS) record_failed_release(function, static_cast<CUresult>(status));
}

}  // namespace anycuda::graph
