// SPDX-License-Identifier: Apache-2.0

// A process that runs with privileges its caller does not have (set-user-ID, file capabilities):
// nothing that the caller can set may steer what is loaded.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "compat/base/environment.h"
#include "compat/search/gather.h"
#include "compat/search/policy.h"
#include "loader/report.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"

extern "C" unsigned long __getauxval(unsigned long type);

namespace {
bool privileged = false;
}

// Stands before libc's in the order of look-up.
extern "C" unsigned long getauxval(unsigned long type) {
  return type == AT_SECURE && privileged ? 1 : __getauxval(type);
}

namespace anycuda {
namespace {

using unit::EmptyMachine;
using unit::ScopedVariable;
using unit::TestSearch;

// Every variable leads to a library.
class Secure : public testing::Test {
 protected:
  Secure() {
    for (const char* file : {"file.so", "path/libtest.so.12", "lib64/libtest.so.12",
                             "lib/libtest.so.12", "nvidia/test_runtime/lib/libtest.so.12",
                             "lib/python3.12/site-packages/nvidia/test_runtime/lib/libtest.so.12",
                             "system/usr/lib/libtest.so.12"}) {
      machine.tree.file(file, unit::ElfImage{}.bytes() + file);
    }
    const std::string& root = machine.tree.root();
    set("ANYCUDA_TESTLIB", machine.tree.path("file.so"));
    set("LD_LIBRARY_PATH", machine.tree.path("path"));
    for (const char* name :
         {"PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"}) {
      set(name, root);
    }
    // Beside a loaded library, too: any user may have put it there.
    machine.tree.file("site-packages/nvidia/test_runtime/lib/libtest.so.12",
                      unit::ElfImage{}.bytes() + "site");
    const std::string module = machine.tree.fake("libtest_stub.so", "site-packages/x/module.so");
    EXPECT_NE(dlopen(module.c_str(), RTLD_NOW), nullptr) << dlerror();
    set("ANYCUDA_LOG", machine.tree.path("log"));
    set("ANYCUDA_COMPAT", "off");
    set("ANYCUDA_STUB_COMPAT", "strict");
    set("ANYCUDA_CROSS_MAJOR", "reject");
    set("ANYCUDA_DRIVER_COMPAT", "assume_forward_compat");
  }
  ~Secure() override { privileged = false; }

  void set(const char* name, const std::string& value) {
    variables.push_back(std::make_unique<ScopedVariable>(name, value.c_str()));
  }
  // How many files below the test's folder a search tier has.
  std::size_t found(SearchTier tier) {
    TestSearch search;
    search.gather(tier);
    std::size_t count = 0;
    for (const Candidate* c = search.first; c != nullptr; c = c->next) {
      count +=
          std::string(c->path).compare(0, machine.tree.root().size(), machine.tree.root()) == 0;
    }
    return count;
  }

  EmptyMachine machine;
  std::vector<std::unique_ptr<ScopedVariable>> variables;
};

TEST_F(Secure, AnOrdinaryProcessIsSteered) {
  for (const SearchTier tier : {SearchTier::variable, SearchTier::library_path, SearchTier::caller,
                                SearchTier::activated, SearchTier::toolkit, SearchTier::system}) {
    EXPECT_GT(found(tier), 0u) << static_cast<int>(tier);
  }
  EXPECT_TRUE(log_enabled(LogLevel::debug));
  EXPECT_EQ(read_policy().mode, Mode::strict);
  EXPECT_EQ(read_policy().cross_major, CrossMajor::reject);
  EXPECT_TRUE(read_policy().forward_compatibility);
}

TEST_F(Secure, APrivilegedOneIsNot) {
  privileged = true;
  for (int place = 0; place < kTierCount; ++place) {
    EXPECT_EQ(found(static_cast<SearchTier>(place)), 0u) << place;
  }
}

TEST_F(Secure, APrivilegedOneReportsButWritesNoFile) {
  privileged = true;
  EXPECT_TRUE(log_enabled(LogLevel::error));
  EXPECT_FALSE(log_enabled(LogLevel::warn));
  const std::string text = unit::in_child([] { log_line(LogLevel::error, "to stderr"); });
  EXPECT_EQ(text, "anycuda: to stderr\n");
  EXPECT_NE(access(machine.tree.path("log").c_str(), F_OK), 0);
}

TEST_F(Secure, ItsSystemIsTheRealOne) {
  privileged = true;
  EXPECT_STREQ(system_root(), "");
  EXPECT_EQ(environment_variable("PATH"), nullptr);
}

TEST_F(Secure, ItsPolicyIsTheDefault) {
  set("ANYCUDA_COMPAT", "nonsense");
  set("ANYCUDA_STUB_COMPAT", "nonsense");
  privileged = true;
  const Policy policy = read_policy();
  EXPECT_EQ(policy.mode, Mode::best_effort);
  EXPECT_EQ(policy.cross_major, CrossMajor::adapt);
  EXPECT_FALSE(policy.forward_compatibility);
  EXPECT_EQ(policy.wrong_count, 0);
}

}  // namespace
}  // namespace anycuda
