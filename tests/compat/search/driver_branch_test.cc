// SPDX-License-Identifier: Apache-2.0

// The display driver's branch: which libnvidia-ml.so.1 is queried, when, and how often.
#include "compat/search/driver/driver_branch.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compat/search/driver/driver_lookup.h"
#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;

const char kDriver[] = "system/usr/lib/driver/libtestdriver.so.1";
const char kBeside[] = "system/usr/lib/driver/libnvidia-ml.so.1";
const char kSystem[] = "system/usr/lib/libnvidia-ml.so.1";

// How often a counting NVML was called; -1: it is not loaded.
int count_of(const std::string& library, const char* counter) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  const void* place = handle != nullptr ? dlsym(handle, counter) : nullptr;
  return place != nullptr ? *static_cast<const int*>(place) : -1;
}

class BranchOn : public testing::Test {
 protected:
  std::string put(const std::string& nvml, const std::string& name) {
    return machine_.tree.fake(nvml, name);
  }
  // The branch of the driver at that path, in a separate process, since libraries stay loaded.
  void expect(int branch, const std::string& cause, const char* driver = kDriver) {
    const std::string path = machine_.tree.path(driver);
    in_child([&] {
      Arena arena;
      const BranchFound found = find_branch(path.c_str(), &arena);
      EXPECT_EQ(found.number, branch);
      EXPECT_THAT(found.cause, HasSubstr(cause));
      EXPECT_EQ(*found.cause == '\0', branch != 0) << found.cause;
      EXPECT_EQ(dlerror(), nullptr) << "the program must not find our failure there";
    });
  }
  EmptyMachine machine_;
};

TEST_F(BranchOn, IsThatOfTheFileBesideTheDriver) {
  put("nvml_535", kBeside);
  put("nvml_520", kSystem);
  expect(535, "");
}

TEST_F(BranchOn, IsThatOfTheFileBesideTheLinksTarget) {
  put("nvml_535", kBeside);
  put("nvml_520", kSystem);
  machine_.tree.fake("libtestdriver.so.1", kDriver);
  machine_.tree.link("run/libtestdriver.so.1", machine_.tree.path(kDriver));
  expect(535, "", "run/libtestdriver.so.1");
}

TEST_F(BranchOn, NoneBesideTheDriver_SystemsIsUsed) {
  put("nvml_520", kSystem);
  expect(520, "");
}

TEST_F(BranchOn, LibraryPathComesBeforeTheSystem) {
  put("nvml_520", kSystem);
  put("nvml_535", "path/libnvidia-ml.so.1");
  const ScopedVariable set("LD_LIBRARY_PATH", machine_.tree.path("path").c_str());
  expect(535, "");
}

TEST_F(BranchOn, IsNotKnownWithoutNvml) { expect(0, "no libnvidia-ml.so.1"); }

// One that says no belongs to the driver: another's word would be about another driver.
TEST_F(BranchOn, DriversNvmlFails_NoOtherIsQueried) {
  put("nvml_failing", kBeside);
  put("nvml_535", kSystem);
  expect(0, "nvmlInit_v2 of " + machine_.tree.path(kBeside) + ": error 9, Driver Not Loaded");
}

TEST_F(BranchOn, NvmlWithoutFunctions_IsUnknown) {
  put("nvml_without_functions", kBeside);
  expect(0, machine_.tree.path(kBeside) + " lacks functions of NVML");
}

TEST_F(BranchOn, UnparsableDriverVersion_IsUnknown) {
  put("nvml_unparsable", kBeside);
  expect(0, machine_.tree.path(kBeside) + " reports an unparsable driver version");
}

TEST_F(BranchOn, IsUnknownBesideAnInvalidNvml) {
  machine_.tree.file(kBeside, "not a library");
  expect(0, "no libnvidia-ml.so.1");
  machine_.tree.fake("libtest.so.12", kBeside);
  expect(0, "no libnvidia-ml.so.1");
  const std::string whole = unit::read_file(unit::fake_library("nvml_535"));
  machine_.tree.file(kBeside, whole.substr(0, whole.size() / 4));
  expect(0, "no libnvidia-ml.so.1");
}

TEST_F(BranchOn, PathWithoutAFolder_IsUnknown) {
  in_child([] {
    Arena arena;
    EXPECT_EQ(find_branch("libcuda.so.1", &arena).number, 0);
    EXPECT_EQ(find_branch("", &arena).number, 0);
  });
}

TEST_F(BranchOn, TheNvmlThatTheProgramHasOpenIsNotPinned) {
  const std::string driver = machine_.tree.path(kDriver);
  for (const char* place : {kBeside, kSystem}) {
    const std::string nvml = put("nvml_535", place);
    in_child([&] {
      void* const theirs = dlopen(nvml.c_str(), RTLD_NOW);
      Arena arena;
      for (int i = 0; i < 2; ++i) EXPECT_EQ(find_branch(driver.c_str(), &arena).number, 535);
      dlclose(theirs);
      EXPECT_EQ(dlopen(nvml.c_str(), RTLD_LAZY | RTLD_NOLOAD), nullptr) << place;
    });
    unlink(nvml.c_str());
  }
}

// ---- once per process

TEST_F(BranchOn, IsQueriedOncePerProcessAndNvmlIsShutDown) {
  const std::string nvml = put("nvml_535", kBeside);
  const std::string path = machine_.tree.path(kDriver);
  in_child([&] {
    Driver driver{};
    driver.path = path.c_str();
    EXPECT_EQ(count_of(nvml, "nvml_inits"), -1);
    EXPECT_EQ(branch_of_process(driver).number, 535);
    EXPECT_EQ(branch_of_process(driver).number, 535);
    EXPECT_EQ(count_of(nvml, "nvml_inits"), 1);
    EXPECT_EQ(count_of(nvml, "nvml_shutdowns"), 1);
  });
}

TEST_F(BranchOn, TheProcessKeepsTheCauseOfAFailure) {
  const std::string nvml = put("nvml_failing", kBeside);
  const std::string path = machine_.tree.path(kDriver);
  in_child([&] {
    Driver driver{};
    driver.path = path.c_str();
    for (int i = 0; i < 2; ++i) {
      const Branch& branch = branch_of_process(driver);
      EXPECT_EQ(branch.number, 0);
      EXPECT_THAT(branch.cause, AllOf(HasSubstr("nvmlInit_v2"), HasSubstr("Driver Not Loaded")));
    }
    EXPECT_EQ(count_of(nvml, "nvml_inits"), 1) << "a failure is not asked for again";
    EXPECT_EQ(count_of(nvml, "nvml_shutdowns"), 0) << "nor shut down";
  });
}

class OldestGpuOn : public BranchOn {
 protected:
  void expect_logged(const char* nvml, int expected, const std::string& words) {
    put(nvml, kBeside);
    const std::string path = machine_.tree.path(kDriver);
    const ScopedVariable log("ANYCUDA_LOG", "debug");
    const std::string text = in_child([&] {
      Driver driver{};
      driver.path = path.c_str();
      EXPECT_EQ(oldest_gpu_of_process(driver), expected);
    });
    EXPECT_THAT(text, HasSubstr("driver: the oldest GPU of " + path + " " + words + "\n"));
  }
};

TEST_F(OldestGpuOn, KnownGpu_IsLogged) {
  expect_logged("nvml_gpu", 75, "is of compute capability 7.5");
}

TEST_F(OldestGpuOn, UnknownGpu_IsLogged) {
  expect_logged("nvml_535", 0, "is unknown: NVML reports no compute capability");
}

TEST_F(BranchOn, AfterAShortageOfFileDescriptorsIsQueriedAgain) {
  put("nvml_535", kBeside);
  const std::string path = machine_.tree.path(kDriver);
  in_child([&] {
    Driver driver{};
    driver.path = path.c_str();
    rlimit limit;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none{0, limit.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    EXPECT_STREQ(branch_of_process(driver).cause, "out of memory or file descriptors");
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_EQ(branch_of_process(driver).number, 535);
  });
}

}  // namespace
}  // namespace anycuda
