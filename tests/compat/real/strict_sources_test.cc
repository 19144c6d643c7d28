// SPDX-License-Identifier: Apache-2.0

// Strict mode on machines where neither a wheel nor a cuda.h states the release: NVIDIA's runtime
// containers, only conda's cudart, Debian's libcudart12. The driver is of an older minor of the
// same major, so that the exact version is needed. Real runtimes; each test runs in a separate
// process.
#include <map>

#include "../metadata/package_machine.h"
#include "compat/descriptor/libraries.h"
#include "compat/search/reason.h"
#include "compat/search/search.h"
#include "support/install.h"

namespace anycuda::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// What anycuda::Machine asks: functions, so it is kept for them.
std::string system_folder;
std::map<std::string, std::string> variables;
anycuda::Driver driver;

anycuda::Machine searched_machine() {
  anycuda::Machine machine;
  machine.root = [] { return system_folder.c_str(); };
  machine.variable = [](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second.c_str() : nullptr;
  };
  machine.start_objects = [] { return StartObjects{}; };
  machine.loaded_objects = [](int (*)(dl_phdr_info*, std::size_t, void*), void*) { return 0; };
  machine.interpreter = [](Arena*) { return Interpreter{}; };
  machine.driver = []() -> const anycuda::Driver& { return driver; };
  return machine;
}

class StrictSources : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* artifact : {"cudart-12.4", "cudart-12.9"}) {
      const std::string reason = Artifacts::of_this_build().why_missing(artifact);
      if (!reason.empty()) GTEST_SKIP() << reason;
    }
    system_folder = machine_.root().string();
    driver.facts.present = true;
    driver.facts.cuda = {12, 2};
    driver.path = "libcuda.so.1";
  }

  // "12.9 by <source>" of the runtime that strict mode opens, or why it opens none.
  std::string opened() {
    const Library* library = library_named("cudart");
    Request request{library->descriptor, library->symbols, 12};
    request.policy.mode = Mode::strict;
    request.policy.mode_variable = "ANYCUDA_COMPAT";
    const anycuda::Machine machine = searched_machine();
    const Report* report = search(request, machine, &arena_);
    if (report == nullptr) return "no memory";
    if (report->chosen == nullptr) {
      const Candidate* first = report->candidates();
      return first != nullptr ? reason_of(*first, *report, &arena_) : "nothing was found";
    }
    EXPECT_NE(report->handle, nullptr);
    const ToolkitVersion& toolkit = report->chosen->toolkit;
    return text(toolkit.version) + " by " + toolkit.source;
  }
  void put_runtime(const std::string& release, const fs::path& folder) {
    install_chain(Artifacts::of_this_build().folder("cudart-" + release), machine_.root() / folder);
    machine_.remove(folder / "libcudart.so");  // the link that only a linker needs
  }

  // Only the SONAME: a link farm, or an image whose files were copied by hand.
  void put_only_soname(const std::string& release, const fs::path& folder) {
    const fs::path from = Artifacts::of_this_build().folder("cudart-" + release);
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      if (entry.path().filename() != "libcudart.so.12") continue;
      machine_.put_copy(folder / "libcudart.so.12", fs::canonical(entry.path()));
      return;
    }
    FAIL() << from;
  }

  Machine machine_;
  Arena arena_;
};

constexpr char kUnknown[] = "its exact CUDA 12 version is unknown";

// nvidia/cuda:12.9.1-runtime-ubuntu22.04 and -ubi9, as far as cudart goes.
TEST_F(StrictSources, OpensTheRuntimeOfNvidiasContainers) {
  put_only_soname("12.9", "usr/local/cuda-12.9/targets/x86_64-linux/lib");
  machine_.put_link("usr/local/cuda-12.9/lib64", "targets/x86_64-linux/lib");
  machine_.put_link("usr/local/cuda", "cuda-12.9");
  EXPECT_EQ(opened(), "12.9 by the name of its folder " +
                          fs::canonical(machine_.root() / "usr/local/cuda-12.9").string());
}

// conda install cuda-cudart, of conda-forge.
TEST_F(StrictSources, OpensCondasRuntime) {
  put_only_soname("12.9", "conda/lib");
  variables["CONDA_PREFIX"] = (machine_.root() / "conda").string();
  EXPECT_THAT(opened(), HasSubstr(kUnknown));
  put_conda(&machine_, {"cuda-version", "12.9", {"lib/cuda-version"}, {}, "h4f385c5_3"});
  EXPECT_EQ(opened(), "12.9 by conda's cuda-version 12.9");
}

TEST_F(StrictSources, OpensDebiansRuntime) {
  put_only_soname("12.4", "usr/lib/x86_64-linux-gnu");
  EXPECT_THAT(opened(), HasSubstr(kUnknown));
  machine_.remove("usr/lib/x86_64-linux-gnu/libcudart.so.12");
  put_runtime("12.4", "usr/lib/x86_64-linux-gnu");
  EXPECT_THAT(opened(), HasSubstr("12.4 by its name libcudart.so.12.4."));
}

// Names of another release than the file's functions show: it was overwritten by hand.
TEST_F(StrictSources, RefusesNamesThatTheFileContradicts) {
  put_only_soname("12.9", "usr/local/cuda-12.0/lib64");
  EXPECT_THAT(opened(), HasSubstr(kUnknown));
}

}  // namespace
}  // namespace anycuda::test
