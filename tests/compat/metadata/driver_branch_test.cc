// SPDX-License-Identifier: Apache-2.0

// The display driver's branch: which libnvidia-ml.so.1 is queried.
#include "compat/metadata/driver/driver_branch.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "compat/metadata/driver/nvml.h"
#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using testing::HasSubstr;
using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;

const char kDriver[] = "system/usr/lib/driver/libtestdriver.so.1";
const char kBeside[] = "system/usr/lib/driver/libnvidia-ml.so.1";
const char kSystem[] = "system/usr/lib/libnvidia-ml.so.1";

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
      EXPECT_EQ(*found.version != '\0', branch != 0) << found.version;
      EXPECT_EQ(branch_of(found.version), branch) << found.version;
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

TEST_F(BranchOn, HasTheFullVersion) {
  put("nvml_535", kBeside);
  const std::string driver = machine_.tree.path(kDriver);
  in_child([&] {
    Arena arena;
    EXPECT_STREQ(find_branch(driver.c_str(), &arena).version, "535.309.01");
  });
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

}  // namespace
}  // namespace anycuda
