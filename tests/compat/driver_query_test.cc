// SPDX-License-Identifier: Apache-2.0

// The driver's CUDA and branch: queried lazily and kept, with fakes; and from real driver
// libraries, which report without a GPU which CUDA they support, and whose NVML gives the reason
// for an unknown branch.
#include "anycuda/compat/driver_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "anycuda/compat/errors.h"
#include "tests/support/artifacts.h"
#include "tests/support/leave.h"
#include "tests/support/machine.h"

namespace anycuda::compat {
namespace {

using test::Artifacts;
using test::Machine;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// ---- by fakes

struct Asked {
  std::atomic<int> cuda{0};
  std::atomic<int> branch{0};
};

std::function<Version()> says(Version version, Asked* asked) {
  return [=]() -> Version {
    ++asked->cuda;
    return version;
  };
}
std::function<BranchAnswer()> says_branch(const BranchAnswer& answer, Asked* asked) {
  return [=] {
    ++asked->branch;
    return answer;
  };
}

TEST(DriverQuery, QueriesOnlyWhatIsNeededAndOnce) {
  Asked asked;
  DriverQuery query(says({12, 2}, &asked), says_branch({535, ""}, &asked));
  EXPECT_EQ(asked.cuda + asked.branch, 0) << "nothing before it is wanted";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(query.cuda().minor, 2);
  EXPECT_EQ(asked.cuda, 1);
  EXPECT_EQ(asked.branch, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(query.branch().branch, 535);
  EXPECT_EQ(asked.branch, 1);
}

TEST(DriverQuery, KeepsWhyABranchIsNotKnown) {
  Asked asked;
  DriverQuery query(says({12, 2}, &asked), says_branch({0, "NVML says no"}, &asked));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(query.branch().problem, "NVML says no");
  EXPECT_EQ(asked.branch, 1);
}

TEST(DriverQuery, QueriesAgainAfterAFailure) {
  int calls = 0;
  DriverQuery query(
      [&]() -> Version {
        if (++calls == 1) throw DriverQueryError("not yet");
        return {12, 2};
      },
      [] { return BranchAnswer{}; });
  EXPECT_THROW(query.cuda(), DriverQueryError);
  EXPECT_EQ(query.cuda().major, 12);
}

TEST(DriverQuery, ClearingDropsQueriedFacts) {
  Asked asked;
  DriverQuery query(says({12, 2}, &asked), says_branch({535, ""}, &asked));
  query.cuda();
  query.branch();
  query.clear();
  query.cuda();
  query.branch();
  EXPECT_EQ(asked.cuda, 2);
  EXPECT_EQ(asked.branch, 2);
}

TEST(DriverQuery, ClearingKeepsGivenFacts) {
  DriverQuery query(DriverFacts{true, {12, 4}, 550});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(query.cuda().minor, 4);
    EXPECT_EQ(query.branch().branch, 550);
    query.clear();
  }
}

TEST(DriverQuery, QueryDuringAClear_IsNotKept) {
  int calls = 0;
  DriverQuery* self = nullptr;
  DriverQuery query(
      [&]() -> Version {
        if (++calls == 1) self->clear();
        return {12, calls};
      },
      [] { return BranchAnswer{}; });
  self = &query;
  EXPECT_EQ(query.cuda().minor, 1);
  EXPECT_EQ(query.cuda().minor, 2);
  EXPECT_EQ(query.cuda().minor, 2);
}

TEST(DriverQuery, FactsWithoutADriver_IsADifferentError) {
  const auto problem_of = [](const DriverFacts& facts) -> std::string {
    try {
      DriverQuery(facts).cuda();
    } catch (const DriverQueryError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem_of(DriverFacts{}),
            "DriverFacts::present is false: without a driver its CUDA version is unknown");
  EXPECT_EQ(problem_of(DriverFacts{true, {}, 535}),
            "DriverFacts::cuda is not set: the driver's CUDA version is unknown");
}

TEST(DriverQuery, GivesManyThreadsOneAnswer) {
  std::atomic<int> next{0};
  DriverQuery query(
      [&] {
        return Version{12, ++next};
      },
      [&] {
        return BranchAnswer{500 + ++next, ""};
      });
  std::vector<std::thread> threads;
  std::atomic<int> others{0};
  const int first_cuda = [&] {
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        const int mine = query.cuda().minor;
        for (int n = 0; n < 100; ++n) others += query.cuda().minor != mine;
        query.branch();
      });
    }
    return query.cuda().minor;
  }();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(others, 0);
  EXPECT_EQ(query.cuda().minor, first_cuda);
}

// ---- by real driver libraries, each in a separate process on a separate machine

class RealDriver : public ::testing::Test {
 protected:
  // Runs `body` where nothing but the machine's CUDA is to be found; what it wrote.
  template <typename Body>
  std::string on_machine(Body body) {
    const Machine::Path log = machine_.root() / "said";
    const pid_t child = fork();
    if (child == 0) {
      clearenv();
      for (const auto& [name, value] : machine_.environment()) {
        // Reading is all that is done: what the dynamic loader itself would heed was read at start.
        setenv(name.c_str(), value.c_str(), 1);
      }
      std::ofstream stream(log);
      body(stream);
      stream.close();
      test::leave(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    std::ifstream stream(log);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string ask() {
    return on_machine([](std::ostream& said) {
      DriverQuery query;
      try {
        const Version version = query.cuda();
        said << version.major << "." << version.minor;
      } catch (const DriverQueryError& error) {
        said << "error: " << error.what();
      }
    });
  }
  Machine machine_;
};

#define REQUIRE_DRIVER(name)                                                              \
  if (const std::string why = Artifacts::of_this_build().why_missing(name); !why.empty()) \
  GTEST_SKIP() << why

TEST_F(RealDriver, ReportsTheSupportedCuda) {
  REQUIRE_DRIVER("driver-535");
  machine_.driver_out_of_reach(535);
  EXPECT_EQ(ask(), "12.2");
}

TEST_F(RealDriver, NewerBranch_IsReported) {
  REQUIRE_DRIVER("driver-550");
  machine_.driver(550);
  EXPECT_EQ(ask(), "12.4");
}

TEST_F(RealDriver, NamedByTheVariable_IsQueried) {
  REQUIRE_DRIVER("driver-535");
  REQUIRE_DRIVER("driver-550");
  machine_.driver_out_of_reach(550);
  machine_.env("ANYCUDA_CUDA", Artifacts::of_this_build().folder("driver-535") / "libcuda.so.1");
  EXPECT_EQ(ask(), "12.2");
}

// As nvidia-smi shows it; the guard rails' rules need only the branch.
TEST(DriverQuery, BranchHasTheFullVersion) {
  Asked asked;
  DriverQuery query(says({13, 2}, &asked), says_branch({595, "", "595.58.03"}, &asked));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(query.branch().version, "595.58.03");
  EXPECT_EQ(asked.branch, 1);
  DriverFacts given;
  given.present = true;
  given.branch = 595;
  EXPECT_EQ(DriverQuery(given).branch().version, "") << "a caller gives only the branch";
}

// No module of the kernel, or one of another version: NVML cannot say.
TEST_F(RealDriver, WithoutKernelModule_BranchIsUnknownWithTheReason) {
  for (const int branch : {535, 550}) {
    REQUIRE_DRIVER("driver-" + std::to_string(branch));
    machine_.driver_out_of_reach(branch);
    const std::string said = on_machine([](std::ostream& said) {
      const BranchAnswer answer = DriverQuery().branch();
      said << answer.branch << " " << answer.problem;
    });
    EXPECT_THAT(said, ContainsRegex("^0 nvmlInit_v2 of " + machine_.system_libraries().string() +
                                    "/libnvidia-ml.so.1: error [0-9]+, [A-Z]"));
  }
}

TEST_F(RealDriver, Missing_ErrorNamesTheSearchedFolders) {
  EXPECT_THAT(ask(), AllOf(HasSubstr("error: no libcuda.so.1"), HasSubstr("LD_LIBRARY_PATH")));
}

TEST_F(RealDriver, Invalid_ErrorNamesTheFile) {
  const Machine::Path file = machine_.system_libraries() / "libcuda.so.1";
  machine_.put_file(file, "not a library");
  EXPECT_THAT(ask(), HasSubstr(file.string() + ": not an ELF shared library"));
  machine_.remove(file).put_file("mine.so", "not a library");
  machine_.env("ANYCUDA_CUDA", machine_.root() / "mine.so");
  EXPECT_THAT(ask(), AllOf(HasSubstr("error: ANYCUDA_CUDA names no driver library"),
                           HasSubstr("mine.so: not an ELF")));
}

TEST_F(RealDriver, WithoutNvmlHasNoBranch) {
  REQUIRE_DRIVER("driver-535");
  machine_.driver_out_of_reach(535);
  machine_.remove(machine_.system_libraries() / "libnvidia-ml.so.1");
  const std::string said = on_machine([](std::ostream& said) {
    DriverQuery query(DriverFacts{true, {12, 2}, 0});
    said << query.branch().branch << " " << query.branch().problem;
  });
  EXPECT_THAT(said, HasSubstr("0 no libnvidia-ml.so.1"));
}

}  // namespace
}  // namespace anycuda::compat
