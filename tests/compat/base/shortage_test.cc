// SPDX-License-Identifier: Apache-2.0
#include "compat/base/shortage.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

// The errno that is noted for this failure; 0: none is.
template <typename Failure>
int noted(Failure failure) {
  const std::uint64_t before = shortages();
  note_shortage(failure);
  return shortage_since(before);
}

TEST(Shortage, IsAStateThatAnotherCallMayNotMeet) {
  for (const int error : {EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR}) EXPECT_EQ(noted(error), error);
  for (const int error : {0, ENOENT, EACCES, EIO, ELOOP}) EXPECT_EQ(noted(error), 0);
}

TEST(Shortage, IsReadFromTheLinkersMessage) {
  const std::string open = "libx.so: cannot open shared object file: ";
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    EXPECT_EQ(noted((open + std::strerror(error)).c_str()), error);
  }
  EXPECT_EQ(noted("libx.so: out of memory"), ENOMEM);
  EXPECT_EQ(noted((open + std::strerror(ENOENT)).c_str()), 0);
  EXPECT_EQ(noted("libx.so: cannot allocate memory in static TLS block"), 0) << "for ever";
}

TEST(Shortage, OfTheSameKindIsSeenAgain) {
  EXPECT_EQ(noted(EMFILE), EMFILE);
  const std::uint64_t before = shortages();
  EXPECT_EQ(shortage_since(before), 0);
  EXPECT_EQ(noted(EMFILE), EMFILE);
}

// The text with this limit, or with none.
std::string memory_remedy_with(const std::vector<decltype(RLIMIT_AS)>& limited) {
  return unit::in_child([&] {
    const auto limit = [&](decltype(RLIMIT_AS) resource) {
      const bool is_limited = std::count(limited.begin(), limited.end(), resource) != 0;
      const rlimit wanted{is_limited ? rlim_t{1} << 40 : RLIM_INFINITY, RLIM_INFINITY};
      ASSERT_EQ(setrlimit(resource, &wanted), 0);
    };
    limit(RLIMIT_AS);
    limit(RLIMIT_DATA);
    std::fputs(describe_shortage(ENOMEM).remedy, stderr);
  });
}

// qemu keeps limits of memory from the programs that it runs.
bool limits_of_memory_are_kept() {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit wanted{rlim_t{1} << 40, RLIM_INFINITY};
    rlimit limit{};
    setrlimit(RLIMIT_AS, &wanted);
    getrlimit(RLIMIT_AS, &limit);
    _exit(limit.rlim_cur == wanted.rlim_cur ? 0 : 1);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST(Shortage, OfMemoryNamesTheLimitsThatAreSet) {
  if (!limits_of_memory_are_kept()) GTEST_SKIP() << "setrlimit() does not limit memory here (qemu)";
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    getrlimit(resource, &limit);
    if (limit.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "the machine limits memory";
  }
  EXPECT_EQ(memory_remedy_with({}), "free memory");
  EXPECT_EQ(memory_remedy_with({RLIMIT_AS}), "raise ulimit -v or free memory");
  EXPECT_EQ(memory_remedy_with({RLIMIT_DATA}), "raise ulimit -d or free memory");
  EXPECT_EQ(memory_remedy_with({RLIMIT_AS, RLIMIT_DATA}),
            "raise ulimit -v or ulimit -d, or free memory");
}

}  // namespace
}  // namespace anycuda
