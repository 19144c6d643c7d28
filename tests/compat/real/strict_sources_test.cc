// SPDX-License-Identifier: Apache-2.0

// Strict mode on machines where neither a wheel nor a cuda.h states the release: NVIDIA's runtime
// containers of Ubuntu and UBI, only conda's cudart, Debian's libcudart12. The driver is of an
// older minor of the same major, so that the exact version is needed. Real runtimes; each test runs
// in a separate process.
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
anycuda::Branch branch;

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
  machine.branch = []() -> const anycuda::Branch& { return branch; };
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
    branch.number = 535;
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

  void put_container_of_ubi() {
    put_runtime("12.9", "usr/local/cuda-12.9/targets/x86_64-linux/lib");
    machine_.put_link("usr/local/cuda-12.9/lib64", "targets/x86_64-linux/lib");
    machine_.put_link("usr/local/cuda", "cuda-12.9");
  }

  Machine machine_;
  Arena arena_;
};

// nvidia/cuda:12.9.1-runtime-ubuntu22.04, as far as cudart goes.
TEST_F(StrictSources, OpensTheRuntimeOfNvidiasContainer) {
  const std::string folder = "usr/local/cuda-12.9/targets/x86_64-linux/lib";
  put_runtime("12.9", folder);
  machine_.put_link("usr/local/cuda-12.9/lib64", "targets/x86_64-linux/lib");
  machine_.put_link("usr/local/cuda", "cuda-12.9");
  EXPECT_THAT(opened(), HasSubstr("its exact CUDA 12 version is unknown"));
  put_dpkg(&machine_, "cuda-cudart-12-9", "12.9.79-1",
           {"/usr", "/" + folder + "/libcudart.so.12", "/" + folder + "/libcudart.so.12.9.79"});
  EXPECT_EQ(opened(), "12.9 by dpkg package cuda-cudart-12-9");
}

// nvidia/cuda:12.9.1-runtime-ubi9, as far as cudart goes.
TEST_F(StrictSources, OpensTheRuntimeOfAContainerWithRpmsSqlite) {
  put_container_of_ubi();
  EXPECT_THAT(opened(), HasSubstr("its exact CUDA 12 version is unknown"));
  const char* database = "var/lib/rpm/rpmdb.sqlite";
  machine_.put_copy(database, ANYCUDA_TEST_RPM "/el9/rpmdb.sqlite");
  machine_.put_copy("var/lib/rpm/rpmdb.sqlite-wal", ANYCUDA_TEST_RPM "/el9/rpmdb.sqlite-wal");
  machine_.truncate(database, 20000);
  EXPECT_THAT(opened(), HasSubstr("rpmdb.sqlite is damaged: run rpm --rebuilddb"));
  machine_.put_copy(database, ANYCUDA_TEST_RPM "/el9/rpmdb.sqlite");
  EXPECT_EQ(opened(), "12.9 by RPM package cuda-cudart-12-9");
}

// The same of -ubi8.
TEST_F(StrictSources, OpensTheRuntimeOfAContainerWithRpmsBerkeleyDb) {
  put_container_of_ubi();
  machine_.put_copy("var/lib/rpm/Packages", ANYCUDA_TEST_RPM "/el8/Packages");
  EXPECT_EQ(opened(), "12.9 by RPM package cuda-cudart-12-9");
}

// conda install cuda-cudart, of conda-forge.
TEST_F(StrictSources, OpensCondasRuntime) {
  put_runtime("12.9", "conda/targets/x86_64-linux/lib");
  for (const char* name : {"libcudart.so.12", "libcudart.so.12.9.79"}) {
    machine_.put_link(std::string("conda/lib/") + name,
                      std::string("../targets/x86_64-linux/lib/") + name);
  }
  variables["CONDA_PREFIX"] = (machine_.root() / "conda").string();
  EXPECT_THAT(opened(), HasSubstr("its exact CUDA 12 version is unknown"));
  put_conda(&machine_, {"cuda-version", "12.9", {"lib/cuda-version"}, {}, "h4f385c5_3"});
  put_conda(&machine_, {"cuda-cudart_linux-64",
                        "12.9.79",
                        {"targets/x86_64-linux/lib/libcudart.so.12",
                         "targets/x86_64-linux/lib/libcudart.so.12.9.79"},
                        {"cuda-version >=12.9,<12.10.0a0"}});
  put_conda(&machine_,
            {"cuda-cudart",
             "12.9.79",
             {"lib/libcudart.so.12", "lib/libcudart.so.12.9.79"},
             {"cuda-cudart_linux-64 12.9.79 h3f2d84a_0", "cuda-version >=12.9,<12.10.0a0"}});
  EXPECT_EQ(opened(),
            "12.9 by conda package cuda-cudart 12.9.79, pinned by cuda-version >=12.9,<12.10.0a0");
}

TEST_F(StrictSources, OpensDebiansRuntime) {
  const std::string folder = "usr/lib/x86_64-linux-gnu";
  put_runtime("12.4", folder);
  EXPECT_THAT(opened(), HasSubstr("its exact CUDA 12 version is unknown"));
  put_dpkg(&machine_, "libcudart12:amd64", "12.4.127~12.4.1-2",
           {"/.", "/usr/lib/x86_64-linux-gnu", "/" + folder + "/libcudart.so.12",
            "/" + folder + "/libcudart.so.12.4.127", "/usr/share/doc/libcudart12/copyright"});
  EXPECT_EQ(opened(), "12.4 by dpkg package libcudart12 12.4.127~12.4.1-2");
}

TEST_F(StrictSources, OpensAToolkitWithAVersionFile) {
  put_runtime("12.9", "usr/local/cuda/lib64");
  machine_.put_file("usr/local/cuda/version.json",
                    R"({"cuda": {"name": "CUDA SDK", "version": "12.9.1"}})");
  EXPECT_EQ(opened(), "12.9 by version.json");
}

// A package of another release owns a file that has newer functions: it was overwritten by hand.
TEST_F(StrictSources, RefusesPathsThatAPackageCannotInstall) {
  put_runtime("12.9", "usr/lib/x86_64-linux-gnu");
  put_dpkg(&machine_, "libcudart12", "12.0.146~12.0.1-4",
           {"/usr/lib/x86_64-linux-gnu/libcudart.so.12.9.79"});
  EXPECT_THAT(opened(), HasSubstr("dpkg package libcudart12 12.0.146~12.0.1-4 says CUDA 12.0, the "
                                  "library's symbols say CUDA 12.8 or later"));
}

}  // namespace
}  // namespace anycuda::test
