// Much of the same at once, through the stub and on NVIDIA's own library. README.md says what is
// promised. ANYCUDA_STRESS=long (ctest --preset long) makes 10,000 children in each state and a
// million calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "support/machine.h"

namespace anycuda::test {
namespace {

using std::chrono::seconds;
using Path = std::filesystem::path;

bool is_long() {
  const char* kind = std::getenv("ANYCUDA_STRESS");
  return kind != nullptr && std::strcmp(kind, "long") == 0;
}
long amount(long plain, long when_long) { return is_long() ? when_long : plain; }
seconds limit() { return seconds(is_long() ? 3 * 3600 : 500); }

const std::string kStub = ANYCUDA_STUBS "/libcudart_stub.so";

// NVIDIA's library, where the machine has it.
std::string real_library(const Machine& machine) {
  return machine.site_packages() / "nvidia/cuda_runtime/lib/libcudart.so.12";
}

std::string program(const std::string& name) { return ANYCUDA_BINARY_DIR "/" + name; }

class Stress : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact : {"cudart-12.9", "driver-535"}) {
      const std::string missing = Artifacts::of_this_build().why_missing(artifact);
      if (!missing.empty()) GTEST_SKIP() << missing;
    }
    machine_.env("ANYCUDA_LOG", "off");
  }
  Machine machine_;
};

// ---- forked children

struct Lost {
  long children = 0;
  long hanging = 0;
  long crashed = 0;
  std::string text;
};

Lost fork_children(const Machine& machine, const std::string& library, const std::string& state,
                   long count) {
  const ProcessResult result =
      machine.run({program("forked"), library, state, std::to_string(count)}, limit());
  Lost lost;
  lost.text = result.describe();
  const int read = std::sscanf(result.out.c_str(), "children %ld hanging %ld crashed %ld",
                               &lost.children, &lost.hanging, &lost.crashed);
  EXPECT_TRUE(result.ok() && read == 3) << lost.text;
  std::printf("%s, %s: %s", Path(library).filename().c_str(), state.c_str(), result.out.c_str());
  return lost;
}

class ForkedChildren : public Stress {
 protected:
  void expect_none_lost(const std::string& state) {
    const long count = amount(300, 10000);
    const Lost lost = fork_children(machine_, kStub, state, count);
    EXPECT_EQ(lost.children, count) << lost.text;
    EXPECT_EQ(lost.hanging, 0) << lost.text;
    EXPECT_EQ(lost.crashed, 0) << lost.text;
  }
};

TEST_F(ForkedChildren, BeforeTheFirstCallAllEnd) {
  machine_.wheel(cudart, "12.9");
  expect_none_lost("before");
}

TEST_F(ForkedChildren, AfterTheFirstCallAllEnd) {
  machine_.wheel(cudart, "12.9").driver(535);
  expect_none_lost("calling");
}

TEST_F(ForkedChildren, WithoutCudaAllEnd) { expect_none_lost("calling"); }

// Wilson's interval for a share, 95 %.
struct Interval {
  double low;
  double high;
};
Interval wilson(long hits, long of) {
  constexpr double z = 1.96;
  const double n = static_cast<double>(of);
  const double share = static_cast<double>(hits) / n;
  const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half =
      z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return {middle - half, middle + half};
}

// glibc's locks are held while a library is opened, so some children of any program that opens one
// are lost: the stub loses no more of them than the real library, which opens the driver.
TEST_F(ForkedChildren, DuringTheFirstCallNoMoreAreLostThanWithoutTheStub) {
  machine_.wheel(cudart, "12.9").driver(535);
  const long count = amount(60, 10000);
  const Lost real = fork_children(machine_, real_library(machine_), "during", count);
  const Lost stub = fork_children(machine_, kStub, "during", count);
  const auto share = [](const char* who, const Lost& lost) {
    const Interval interval = wilson(lost.hanging + lost.crashed, lost.children);
    std::printf("%s: %ld of %ld lost, 95 %% interval %.3f %% to %.3f %%\n", who,
                lost.hanging + lost.crashed, lost.children, 100 * interval.low,
                100 * interval.high);
    return interval;
  };
  const Interval of_real = share("real library", real);
  const Interval of_stub = share("stub", stub);
  EXPECT_LE(of_stub.low, of_real.high);
}

// ---- random calls

struct Storm {
  std::string answers;  // all lines that must be the same
  long resident = 0;    // KB more after the last third than after the second
  long mappings = 0;
  long files = 0;
};

Storm run_storm(const Machine& machine, const std::string& library, long calls) {
  const ProcessResult result =
      machine.run({program("storm"), library, std::to_string(calls)}, limit());
  EXPECT_TRUE(result.ok()) << result.describe().substr(0, 4000);
  Storm storm;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    if (line[0] != '#') {
      storm.answers += line + "\n";
      continue;
    }
    std::printf("%s: %s\n", Path(library).filename().c_str(), line.c_str());
    std::sscanf(line.c_str(), "# growth %ld %ld %ld", &storm.resident, &storm.mappings,
                &storm.files);
  }
  return storm;
}

class RandomCalls : public Stress {
 protected:
  void expect_the_same() {
    const long calls = amount(20000, 1000000);
    const Storm real = run_storm(machine_, real_library(machine_), calls);
    const Storm stub = run_storm(machine_, kStub, calls);
    EXPECT_EQ(stub.answers, real.answers);
    EXPECT_THAT(real.answers, testing::HasSubstr("children hanging 0 crashed 0"));
    EXPECT_THAT(real.answers, testing::HasSubstr(" cudaMalloc(out, 1) = "));
    // What the program itself counts takes some of it. A byte for every call would be seen.
    EXPECT_LE(stub.resident, 1000);
    EXPECT_LE(stub.mappings, 4);
    EXPECT_LE(stub.files, 0);
  }
};

TEST_F(RandomCalls, GiveTheSameAndLeaveNothingBehind) {
  machine_.wheel(cudart, "12.9").driver(535);
  expect_the_same();
}

TEST_F(RandomCalls, WithoutADriverGiveTheSameAndLeaveNothingBehind) {
  machine_.wheel(cudart, "12.9");
  expect_the_same();
}

}  // namespace
}  // namespace anycuda::test
