// SPDX-License-Identifier: Apache-2.0

// Precompiled headers and time traces, with real NVRTCs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "computer.h"
#include "tests/support/case_names.h"

using namespace anycuda::test;
using testing::HasSubstr;
using testing::Not;

namespace {

class Headers : public testing::TestWithParam<const char*> {
 protected:
  static std::string run(const std::string& job) {
    Computer computer;
    computer.with_nvrtc(GetParam());
    computer.env("TMPDIR",
                 "/tmp");  // NVRTC 12.8 and 13.0 refuse a path of 280 characters, with PCH
    return computer.child({"headers", job});
  }
};

TEST_P(Headers, ArePrecompiledAndUsed) {
  NEEDS_ARTIFACTS(std::string("nvrtc-") + GetParam());
  const std::string out = run("pch");
  EXPECT_EQ(after(out, "not asked: "), "ok, PCH not requested, not used") << out;
  EXPECT_EQ(after(out, "create: "), "ok, PCH created, not used") << out;
  EXPECT_EQ(after(out, "header is there: "), "1");
  EXPECT_EQ(after(out, "use: "), "ok, PCH not requested, used") << out;
  EXPECT_EQ(after(out, "automatic: "), "ok, PCH created, not used") << out;
  EXPECT_EQ(after(out, "automatic again: "), "ok, PCH not attempted, used") << out;
  EXPECT_THAT(after(out, "no such file: "), HasSubstr("CompileError")) << out;
  EXPECT_THAT(after(out, "no such folder: "), HasSubstr("CompileError")) << out;
  EXPECT_EQ(after(out, "automatic and create: "), "OptionError, PCH not requested, not used");
  EXPECT_EQ(after(out, "create and use: "), "OptionError, PCH not requested, not used");
}

TEST_P(Headers, SmallHeapGrows) {
  NEEDS_ARTIFACTS(std::string("nvrtc-") + GetParam());
  const std::string out = run("heap");
  EXPECT_EQ(after(out, "heap shrunk: "), "1") << out;
  EXPECT_EQ(after(out, "small heap: "), "ok, PCH created, not used") << out;
  EXPECT_THAT(out, HasSubstr("thread: created\nthread: created\nthread: created\nthread: created"));
}

TEST_P(Headers, TraceHasTheNameThatIsAskedFor) {
  NEEDS_ARTIFACTS(std::string("nvrtc-") + GetParam());
  const std::string out = run("traces");
  EXPECT_EQ(after(out, "trace: "), "ok, PCH not requested, not used") << out;
  EXPECT_EQ(after(out, "trace is there: "), "1") << out;
  EXPECT_EQ(after(out, "trace again: "), "ok, PCH not requested, not used") << out;
  EXPECT_EQ(after(out, "trace of PTX: "), "ok, PCH not requested, not used") << out;
}

INSTANTIATE_TEST_SUITE_P(Nvrtc, Headers, testing::Values("12.8", "13.0", "13.5"), kPrintedName);

// NVRTC would end the process.
TEST(Traces, ThatCannotBeWrittenAreRefused) {
  NEEDS_ARTIFACTS("nvrtc-13.5");
  Computer computer;
  computer.with_nvrtc("13.5");
  const std::string out = computer.child({"headers", "traces"});
  for (const char* wrong : {"trace", ".json", "a.b.json", "trace.json/"}) {
    EXPECT_THAT(out, HasSubstr(wrong + std::string("': expected a name such as trace.json")));
  }
  EXPECT_THAT(out, HasSubstr("/folder.json', which is not a file: name another one"));
  EXPECT_THAT(out, HasSubstr("no/such/folder/trace.json', which cannot be written: No such file "
                             "or directory; name a file in a folder that exists"));
  EXPECT_THAT(out, Not(HasSubstr("wrong trace: ok")));
}

TEST(Headers, OlderNvrtc_ErrorNamesBothVersions) {
  NEEDS_ARTIFACTS("nvrtc-12.4");
  Computer computer;
  computer.with_nvrtc("12.4");
  const std::string out =
      computer.child({"headers", "pch"}) + computer.child({"headers", "traces"});
  EXPECT_EQ(after(out, "create: "), "UnsupportedOptionError, PCH not requested, not used") << out;
  EXPECT_THAT(out, HasSubstr("the option create_pch needs NVRTC 12.8 or later; this is 12.4"));
  EXPECT_THAT(out, HasSubstr("the option time_trace needs NVRTC 12.8 or later; this is 12.4"));
}

}  // namespace
