// SPDX-License-Identifier: Apache-2.0
#include "loader/process/shortage_text.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

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
