// SPDX-License-Identifier: Apache-2.0

// cuDNN and NCCL, whose release numbers are not CUDA's: programs for an old and for a new release,
// through the stub, on both. Their answers equal those that the installed library gives its own
// program.
#include "maths.h"
#include "support/case_names.h"

namespace anycuda::test {
namespace {

// A library, the wheels that pip installs beside its own, the status of what it lacks, and how many
// lines the program of the new release has that the old release has no function for.
// `unknown`: the line with the text of an invalid status.
struct Own {
  const char* name;
  std::vector<Component> needs;
  const char* old_release;
  const char* new_release;
  int no_library;
  int absent;
  std::size_t newer;
  const char* unknown;
};
const Own kOwn[] = {{"cudnn", {cublas, nvrtc}, "9.6", "9.28", 1001, 3000, 0, "text 77"},
                    {"nccl", {}, "2.19", "2.32", 2, 5, 10, "text 9"}};
constexpr const char* kCuda = "12.9";  // that the wheels are for

void PrintTo(const Own& own, std::ostream* stream) { *stream << own.name; }

class OwnReleases : public ::testing::TestWithParam<Own> {
 protected:
  void SetUp() override {
    for (const char* release : {of().old_release, of().new_release}) {
      const std::string wheel = std::string(of().name) + "-" + release;
      const std::string why = Artifacts::of_this_build().why_missing(wheel);
      if (!why.empty()) GTEST_SKIP() << why;
    }
  }
  static const Own& of() { return GetParam(); }
  static std::string program(const std::string& release) {
    return "call_" + std::string(of().name) + "-" + release;
  }
  static void install(Machine* machine, const std::string& release) {
    machine->wheel(Component{of().name}, release);
    for (const Component component : of().needs) machine->wheel(component, kCuda);
  }
  static Answers directly(const std::string& release) {
    Machine machine;
    install(&machine, release);
    link_directly(&machine, kCuda);
    const ProcessResult result = machine.run({native(program(release))});
    EXPECT_TRUE(result.ok()) << result.describe();
    return answers_by_name(result);
  }
  static void compare(const std::string& release) {
    const Answers wanted = directly(release);
    ASSERT_GT(wanted.size(), 40u);
    const Answers newest = directly(of().new_release);
    Machine machine;
    install(&machine, release);
    for (const std::string built_for : {of().old_release, of().new_release}) {
      SCOPED_TRACE("built for " + built_for + " on " + release);
      const ProcessResult result = machine.run({patched(program(built_for))});
      ASSERT_TRUE(result.ok()) << result.describe();
      std::size_t absent = 0;
      for (const auto& [name, values] : answers_by_name(result)) {
        const auto same = wanted.find(name);
        if (same != wanted.end()) {
          // The stub has the text of a status that came after the library.
          const bool newer_text =
              name.rfind("text ", 0) == 0 && same->second == wanted.at(of().unknown);
          EXPECT_EQ(values, newer_text ? newest.at(name) : same->second) << name;
          continue;
        }
        EXPECT_EQ(status_of(values), " " + std::to_string(of().absent)) << name;
        ++absent;
      }
      const bool newer = built_for == of().new_release && release == of().old_release;
      EXPECT_EQ(absent, newer ? of().newer : 0u);
    }
  }
};

TEST_P(OwnReleases, TheAnswersOfTheStubAreTheOldLibrarys) { compare(of().old_release); }
TEST_P(OwnReleases, TheAnswersOfTheStubAreTheNewLibrarys) { compare(of().new_release); }

TEST_P(OwnReleases, WithoutTheLibraryTheStubReturnsItsStatus) {
  Machine machine;
  const ProcessResult result = machine.run({patched(program(of().new_release))});
  ASSERT_TRUE(result.ok()) << result.describe();
  const Answers got = answers_by_name(result);
  const std::string status = " " + std::to_string(of().no_library);
  for (const char* name : {"create", "tensor", "filter 4d", "id", "all reduce", "allocate"}) {
    const auto found = got.find(name);
    if (found == got.end()) continue;
    EXPECT_EQ(status_of(found->second), status) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Maths, OwnReleases, ::testing::ValuesIn(kOwn), kPrintedName);

}  // namespace
}  // namespace anycuda::test
