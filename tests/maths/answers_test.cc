// The calls of programs of every major, through the stub, on every release: they answer what the
// release's own library answers the program of its own major that is linked with it.
#include "maths.h"

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
    return answers(result);
  }
};

std::string status_of(const std::string& values) { return values.substr(0, values.find(' ', 1)); }

// From number 13 on, 11 and 13 have other attributes of a preference
// (stubs/cublaslt/adapters/preference.cc): they are refused.
bool is_refused(const std::string& program, const std::string& name, const std::string& built,
                const std::string& there) {
  const bool pair = (built == "11" && there == "13") || (built == "13" && there == "11");
  if (program != "call_cublaslt" || !pair || name.rfind("preference 1", 0) != 0) return false;
  const int attribute = std::stoi(name.substr(std::string("preference ").size()));
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
    const Answers got = answers(result);
    std::size_t compared = 0;
    for (const auto& [name, values] : got) {
      const auto same = wanted.find(name);
      if (same == wanted.end()) {  // the library lacks the function: its program has no such call
        EXPECT_NE(built, there) << name;
        EXPECT_EQ(status_of(values), " " + std::to_string(of().absent)) << name << result.err;
      } else if (is_refused(of().program, name, built, there)) {
        EXPECT_EQ(status_of(values), " 15") << name;
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

std::vector<std::string> programs() {
  std::vector<std::string> all;
  for (const Library& each : libraries()) all.push_back(each.program);
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Answer::ParamType>& info) {
  std::string name = std::get<0>(info.param) + "_on_" + std::get<1>(info.param);
  for (char& letter : name) letter = letter == '.' ? '_' : letter;
  return name.substr(std::string("call_").size());
}

INSTANTIATE_TEST_SUITE_P(Maths, Answer,
                         ::testing::Combine(::testing::ValuesIn(programs()),
                                            ::testing::ValuesIn(kReleases)),
                         name_of);

}  // namespace
}  // namespace anycuda::test
