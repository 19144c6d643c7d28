// SPDX-License-Identifier: Apache-2.0

// stat and fstat for a glibc before 2.33, which has them in a static archive (libc_nonshared.a) and
// not in libc.so.6. That archive is built without branch protection, and one such object removes
// the library's whole property note; so these two are compiled here, with the library's flags.
// (The stubs' versions are in stubs/libc.)
#include <features.h>
#include <sys/stat.h>

#if !__GLIBC_PREREQ(2, 33)

namespace {
#if defined(__x86_64__)
constexpr int kVersion = 1;  // of struct stat, as bits/stat.h of those releases calls it: _STAT_VER
#else
constexpr int kVersion = 0;
#endif
}  // namespace

extern "C" {
int __xstat(int version, const char* path, struct stat* status);
int __fxstat(int version, int file, struct stat* status);

__attribute__((visibility("hidden"))) int stat(const char* path, struct stat* status) {
  return __xstat(kVersion, path, status);
}
__attribute__((visibility("hidden"))) int fstat(int file, struct stat* status) {
  return __fxstat(kVersion, file, status);
}
}

#endif
