// SPDX-License-Identifier: Apache-2.0

// First calls in the resolver of an indirect function (IFUNC). While the process starts no library
// can be opened (glibc ends a process that calls dlopen then: "Inconsistency detected by ld.so",
// which is also what the real libraries get once they find a driver to open). Such a call fails
// without a lasting effect, and later calls work.
#include "real.h"
#include "support/this_computer.h"

namespace anycuda::test {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

class Ifunc : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_ARTIFACT("cudart-12.9");
    REQUIRE_PROGRAM(patched("ifunc-12"));
    machine_.wheel(cudart, "12.9");
  }
  // Bound lazily, and all at once when the process starts.
  void expect(const std::vector<std::string>& command, const std::string& resolver,
              const std::string& program) {
    for (const char* bind_now : {"", "1"}) {
      machine_.env("LD_BIND_NOW", bind_now);
      const ProcessResult result = machine_.run(command);
      EXPECT_EQ(result.status, 0) << result.describe();
      EXPECT_EQ(answer(result, "resolver"), resolver) << result.describe();
      EXPECT_EQ(answer(result, "program"), program) << result.describe();
      EXPECT_THAT(result.err, IsEmpty());
    }
  }

  Machine machine_;
};

// Version, device count, driver version, last error.
constexpr char kTooEarly[] = "35:0 35:0 35:0 35";
constexpr char kAnswers[] = "0:12090 35:77 0:0 35";

TEST_F(Ifunc, ARealRuntimeAnswersEvenThen) {
  machine_.library_path(library_of(cudart, "12.9").parent_path());
  expect({native("ifunc-12")}, kAnswers, kAnswers);
}

TEST_F(Ifunc, CallDuringStartFailsAndLaterCallsWork) {
  expect({patched("ifunc-12")}, kTooEarly, kAnswers);
}

TEST_F(Ifunc, CallInAPreloadedLibraryFailsAndLaterCallsWork) {
  machine_.preload(patched("ifunc.so"));
  expect({native("host"), "import:" + patched("ifunc.so").string(), "call:report"}, kTooEarly,
         kAnswers);
}

TEST_F(Ifunc, ACallWhileALibraryIsLoadedLaterWorks) {
  expect({native("host"), "import:" + patched("ifunc.so").string(), "call:report"}, kAnswers,
         kAnswers);
}

TEST_F(Ifunc, DriverCallDuringStartFailsAndLaterCallsWork) {
  REQUIRE_ARTIFACT("driver-535");
  REQUIRE_PROGRAM(patched("ifunc_cuda"));
  machine_.driver(535);
  const std::string no_device = running_driver().empty() ? "100:0 0:12020" : "803:0 0:12020";
  for (const char* bind_now : {"", "1"}) {
    machine_.env("LD_BIND_NOW", bind_now);
    const ProcessResult result = machine_.run({patched("ifunc_cuda")});
    EXPECT_EQ(result.status, 0) << result.describe();
    EXPECT_THAT(answer(result, "resolver"), StartsWith("100:0 3:0")) << result.describe();
    EXPECT_THAT(answer(result, "program"), StartsWith(no_device)) << result.describe();
  }
}

// Without CUDA the same, and the one message comes from a call of the program.
TEST_F(Ifunc, CallWithoutCudaIsReportedAfterStart) {
  Machine bare;
  const ProcessResult result = bare.run({patched("ifunc-12")});
  EXPECT_EQ(answer(result, "resolver"), kTooEarly) << result.describe();
  EXPECT_EQ(answer(result, "program"), "35:0 35:0 0:0 35") << result.describe();
}

}  // namespace
}  // namespace anycuda::test
