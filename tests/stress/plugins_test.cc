// SPDX-License-Identifier: Apache-2.0

// Plugins with stubs that come and go in 16 threads (plugins.cc), on each CUDA and without one,
// with and without the allocator that finds errors of memory (guard.c). README.md lists the
// promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "stress/amount.h"
#include "support/machine.h"

namespace anycuda::test {
namespace {

using Path = std::filesystem::path;
using ::testing::HasSubstr;

const std::string kProgram = ANYCUDA_BINARY_DIR "/plugins";
const std::string kGuard = ANYCUDA_BINARY_DIR "/guard.so";

constexpr int kNoDriver = 35;  // or no library
constexpr int kNoDevice = 100;

struct Installed {
  std::string name;
  std::string release;  // empty: none
  int version;          // as cudaRuntimeGetVersion answers
  int count_status;     // of cudaGetDeviceCount
  std::string soname;
};
// Driver 535 is too old for CUDA 13.
const Installed kInstalled[] = {{"Cuda11", "11.8", 11080, kNoDevice, "libcudart.so.11.0"},
                                {"Cuda12", "12.9", 12090, kNoDevice, "libcudart.so.12"},
                                {"Cuda13", "13.5", 13050, kNoDriver, "libcudart.so.13"},
                                {"NoCuda", "", 0, kNoDriver, ""}};

struct Case {
  Installed installed;
  std::string kinds;  // of plugins
  bool guarded;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.installed.name << (one.kinds == "static" ? "OnlyStatic" : "")
       << (one.guarded ? "Guarded" : "");
}
std::vector<Case> cases_of(const std::string& kinds) {
  std::vector<Case> all;
  for (const Installed& installed : kInstalled) {
    for (const bool guarded : {false, true}) all.push_back({installed, kinds, guarded});
  }
  return all;
}

class Plugins : public testing::TestWithParam<Case> {};

TEST_P(Plugins, LoadedAndUnloadedByThreads_AnswerRightAndAreUnmapped) {
  const auto& [installed, kinds, guarded] = GetParam();
  Machine machine;
  Path real = "none";
  if (!installed.release.empty()) {
    for (const std::string& artifact : {"cudart-" + installed.release, std::string("driver-535")}) {
      const std::string missing = Artifacts::of_this_build().why_missing(artifact);
      if (!missing.empty()) GTEST_SKIP() << missing;
    }
    machine.on_library_path(cudart, installed.release);
    if (installed.count_status == kNoDevice) machine.driver(535);
    const std::string folders = machine.environment().at("LD_LIBRARY_PATH");
    real = Path(folders.substr(0, folders.find(':'))) / installed.soname;
    ASSERT_TRUE(std::filesystem::exists(real)) << real;
  }
  if (guarded) machine.preload(kGuard);
  const std::string work = kind().empty() ? "processes:" : "seconds:";
  const ProcessResult result =
      machine.run({kProgram, work + std::to_string(amount(2, 38, 300)), kind().empty() ? "1" : "0",
                   ANYCUDA_BINARY_DIR "/plugin", kinds, std::to_string(installed.version),
                   std::to_string(installed.count_status), real},
                  limit());
  std::printf("%s:\n%s", testing::PrintToString(GetParam()).c_str(), result.out.c_str());
  EXPECT_TRUE(result.ok()) << result.describe().substr(0, 20000);
  EXPECT_EQ(result.out.find("# 0 blocks guarded") == std::string::npos, guarded);
}

INSTANTIATE_TEST_SUITE_P(All, Plugins, testing::ValuesIn(cases_of("all")),
                         testing::PrintToStringParamName());
#ifdef ANYCUDA_STATIC
INSTANTIATE_TEST_SUITE_P(Static, Plugins, testing::ValuesIn(cases_of("static")),
                         testing::PrintToStringParamName());
#endif

// Else the tests above would find nothing.
TEST(Guard, ErrorsOfMemory_CrashTheProgram) {
  Machine machine;
  machine.preload(kGuard);
  EXPECT_EQ(machine.run({kProgram, "read-freed"}).signal, SIGSEGV);
  EXPECT_EQ(machine.run({kProgram, "read-behind"}).signal, SIGSEGV);
  EXPECT_EQ(machine.run({kProgram, "write-behind"}).signal, SIGABRT);
  EXPECT_EQ(machine.run({kProgram, "free-twice"}).signal, SIGABRT);
}

}  // namespace
}  // namespace anycuda::test
