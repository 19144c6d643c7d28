// SPDX-License-Identifier: Apache-2.0
#include "graph/error.h"

#include <cstdarg>
#include <cstdio>

#include "anycuda/graph/drain.h"

namespace anycuda::graph {
namespace {

// No object with a destructor: graphs with static lifetime may fail after the thread's objects are
// gone.
constexpr std::size_t kLongest = 512;
thread_local char sentence[kLongest];
thread_local CUresult sentence_status = CUDA_SUCCESS;
thread_local unsigned kept = 0;  // LastErrorScopes

}  // namespace

const char* last_error() noexcept { return sentence; }

CUresult last_status() noexcept { return sentence_status; }

LastErrorScope::LastErrorScope() noexcept { ++kept; }
LastErrorScope::~LastErrorScope() { --kept; }

CUresult fail(CUresult status, const char* format, ...) noexcept {
  if (kept != 0) return status;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(sentence, kLongest, format, arguments);
  va_end(arguments);
  sentence_status = status;
  return status;
}

}  // namespace anycuda::graph
