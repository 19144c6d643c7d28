// SPDX-License-Identifier: Apache-2.0

// The calls of programs of every major, through the stub, on every release: the answers equal those
// that the release's library gives the program of its major that is linked with it.
#include "maths.h"
#include "support/case_names.h"

namespace anycuda::test {
namespace {

// The library that is installed, and the program that was compiled for it.
class Answer : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not_there(of()); !why.empty()) GTEST_SKIP() << why;
  }
  static const Library& of() { return library(std::get<0>(GetParam())); }
  static const std::string& release() { return std::get<1>(GetParam()); }

  // Of the program of the release's major, linked with the real library.
  static Answers directly() {
    Machine machine;
    install(&machine, of(), release());
    link_directly(&machine, release());
    const ProcessResult result = machine.run({native(of().program + "-" + major_of(release()))});
    EXPECT_TRUE(result.ok()) << result.describe();
    return answers_by_name(result);
  }
};

// Calls that both majors have, with another meaning: the stub refuses them. "preference" stands for
// the attributes from a number on (stubs/cublaslt/adapters/preference.cc); cufftXtMalloc takes a
// format, and 11.8 has renumbered those from 5 on.
bool is_refused(const std::string& name, const std::string& built, const std::string& there) {
  const bool with_11 = (built == "11") != (there == "11");
  static const std::string format = "xt malloc ";
  if (name.rfind(format, 0) == 0) return with_11 && std::stoi(name.substr(format.size())) >= 5;
  static const std::string preference = "preference ";
  if (name.rfind(preference + "1", 0) != 0 || !with_11 || built == "12" || there == "12")
    return false;
  const int attribute = std::stoi(name.substr(preference.size()));
  return built == "11" ? attribute == 13 : attribute >= 13;
}

TEST_P(Answer, OfTheStubIsTheLibrarys) {
  const Answers wanted = directly();
  ASSERT_FALSE(wanted.empty());
  const std::string there = major_of(release());
  Machine machine;
  install(&machine, of(), release());
  for (const std::string& built_for : kReleases) {
    const std::string built = major_of(built_for);
    SCOPED_TRACE("built for " + built + " on " + release());
    const ProcessResult result = machine.run({patched(of().program + "-" + built)});
    ASSERT_TRUE(result.ok()) << result.describe();
    const Answers got = answers_by_name(result);
    std::size_t compared = 0;
    for (const auto& [name, values] : got) {
      if (name.find("'s guard") != std::string::npos) {
        EXPECT_EQ(values, " 1") << name;
      }
      const auto same = wanted.find(name);
      if (same == wanted.end()) {  // the library lacks the function: its program has no such call
        EXPECT_NE(built, there) << name;
        EXPECT_EQ(status_of(values), " " + std::to_string(of().absent)) << name << result.err;
      } else if (is_refused(name, built, there)) {
        EXPECT_EQ(status_of(values), " " + std::to_string(of().rejected)) << name;
      } else {
        EXPECT_EQ(values, same->second) << name;
        ++compared;
      }
    }
    // Programs of all majors have most calls in common.
    EXPECT_GE(compared, wanted.size() * 8 / 10);
    if (built == there) {
      EXPECT_EQ(compared, wanted.size());
    }
  }
}

// Without the library a program starts and reaches its end: no call crashes, and what needs a GPU
// answers as on a machine without one.
TEST_P(Answer, WithoutTheLibraryIsItsStatus) {
  Machine machine;
  const ProcessResult result = machine.run({patched(of().program + "-" + major_of(release()))});
  ASSERT_TRUE(result.ok()) << result.describe();
  const Answers got = answers_by_name(result);
  const std::string status = " " + std::to_string(of().no_library);
  for (const char* name : {"create", "create 100", "create dn", "init"}) {
    if (got.count(name) != 0) {
      EXPECT_EQ(status_of(got.at(name)), status) << name;
    }
  }
  if (of().program == "call_cublas_legacy") {  // they return numbers in vector registers
    EXPECT_THAT(got.at("ddot"), ::testing::StartsWith(" 0x0p+0 "));
    EXPECT_THAT(got.at("cdotu"), ::testing::StartsWith(" 0x0p+0 0x0p+0 "));
  }
  if (of().program == "call_cublaslt") {  // they return a number, not a status
    EXPECT_EQ(got.at("version"), " 0");
    EXPECT_EQ(got.at("runtime"), " 0");
  }
}

std::vector<std::string> programs() {
  std::vector<std::string> all;
  for (const Library& each : libraries()) all.push_back(each.program);
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Answer::ParamType>& info) {
  const std::string library = std::get<0>(info.param).substr(std::string("call_").size());
  return case_name(library + "_on_" + std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Maths, Answer,
                         ::testing::Combine(::testing::ValuesIn(programs()),
                                            ::testing::ValuesIn(kReleases)),
                         name_of);

}  // namespace
}  // namespace anycuda::test
