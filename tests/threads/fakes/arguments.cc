// SPDX-License-Identifier: Apache-2.0

// A runtime whose functions take other arguments than the real ones, which the stub must pass on
// unseen. They return or throw their arguments.
#include <unwind.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#ifdef __cpp_exceptions  // tests/emulated builds it without
#include <stdexcept>
#endif

#include "../programs/strange.h"

namespace {

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto* found = static_cast<Frames*>(argument);
  if (found->count < kMostFrames) {
    found->addresses[found->count++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  }
  return _URC_NO_REASON;
}

void walk(Frames* frames) {
  frames->count = 0;
  _Unwind_Backtrace(visit, frames);
}

__attribute__((constructor)) void constructor() {
  if (frames_in_constructor != nullptr) walk(frames_in_constructor);
  errno = EILSEQ;  // what the loader and the library do to errno is not the caller's business
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  if (frames_in_replay != nullptr) walk(frames_in_replay);
  return &handle;
}

long cudaMemcpy3D(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
                  double p, double q, double r, double s, double t, double u, double v, double w,
                  double x, Large large, Small small, Mixed mixed, long double extended) {
  std::snprintf(told, sizeof told,
                "%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %g %g %g %g %g %g %g %g %g {%ld %ld %ld} "
                "{%d %d} {%ld %g} %Lg errno %d",
                a, b, c, d, e, f, g, h, i, j, p, q, r, s, t, u, v, w, x, large.a, large.b, large.c,
                small.a, small.b, mixed.a, mixed.b, extended, errno);
  return 77;
}

double cudaMemset3D(float a, double b, int c) { return a * b + c; }

int cudaMemcpyPeer(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(told, sizeof told, format, arguments);
  va_end(arguments);
  return length;
}

Large cudaMallocArray(long a) { return {a, a + 1, a + 2}; }
Mixed cudaFreeArray(long a) { return {a, static_cast<double>(a) / 2}; }

int cudaMemcpyToArray(int value) {
#ifdef __cpp_exceptions
  if (value == 13) throw std::runtime_error("thirteen");
#endif
  return value;
}

int cudaMemcpyFromArray(Frames* frames) {
  walk(frames);
  return 0;
}

}  // extern "C"
