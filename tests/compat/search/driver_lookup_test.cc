// SPDX-License-Identifier: Apache-2.0

// The driver: the first file of its name that is found. The number in its file name does not count,
// since kernel and driver belong together and the system lists the right one first.
#include "compat/search/driver/driver_lookup.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compat/search/gather.h"
#include "compat/search/search.h"
#include "tests/support/unit/environment.h"
#include "tests/support/unit/gathered.h"
#include "tests/support/unit/ld_cache_image.h"

namespace anycuda {
namespace {

using testing::HasSubstr;
using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;

const char kWsl[] = "system/usr/lib/wsl/lib/libtestdriver.so.1";
const char kDistribution[] = "system/usr/lib/x86_64-linux-gnu/libtestdriver.so.1";
const char kCached[] = "system/opt/driver/libtestdriver.so.1";

class DriverOn : public testing::Test {
 protected:
  void install(const std::string& name) { machine_.tree.fake("libtestdriver.so.1", name); }
  // As a distribution does it: the file has the number, the name that programs ask for is a link.
  void install_numbered(const std::string& name, const std::string& number) {
    const std::string file = "libtestdriver.so." + number;
    install(name.substr(0, name.rfind('/') + 1) + file);
    machine_.tree.link(name, file);
  }
  void put_cache(const std::string& name, const std::string& path) {
    machine_.tree.file("system/etc/ld.so.cache", unit::new_format({{name, path}}));
  }
  // Path of the driver that a search finds, below the machine's folder; "" for none.
  std::string found() {
    Arena arena;
    const std::string path = look_up_driver(&arena).driver.path;
    return path.empty() ? "" : path.substr(machine_.tree.root().size() + 1);
  }

  EmptyMachine machine_;
};

TEST_F(DriverOn, OneNameOnlyIsADriver) {
  install("system/usr/lib/x86_64-linux-gnu/libtestdriver.so.550.163.01");
  install("system/usr/lib/x86_64-linux-gnu/libtestdriver.so.1.1");
  install("path/libtestdriver.so");
  install("path/libtestdriver.so.2");
  put_cache("libtestdriver.so.550.163.01", "/usr/lib/x86_64-linux-gnu/libtestdriver.so.550.163.01");
  const ScopedVariable set("LD_LIBRARY_PATH", machine_.tree.path("path").c_str());
  in_child([&] { EXPECT_EQ(found(), ""); });
}

TEST_F(DriverOn, LeftOverFileBesideItIsNotTaken) {
  install_numbered(kDistribution, "535.309.01");
  install("system/usr/lib/x86_64-linux-gnu/libtestdriver.so.550.163.01");
  in_child([&] { EXPECT_EQ(found(), kDistribution); });
}

TEST_F(DriverOn, WslsComesBeforeTheDistributionsForAllNumbers) {
  install(kWsl);
  install_numbered(kDistribution, "999.1");
  in_child([&] { EXPECT_EQ(found(), kWsl); });
}

TEST_F(DriverOn, CachesComesBeforeAllOthersForAllNumbers) {
  install_numbered(kCached, "1.1");
  install_numbered(kWsl, "998.1");
  install_numbered(kDistribution, "999.1");
  put_cache("libtestdriver.so.1", "/opt/driver/libtestdriver.so.1");
  in_child([&] { EXPECT_EQ(found(), kCached); });
}

TEST_F(DriverOn, TheFirstOfTheLibraryPathIsTaken) {
  install_numbered("a/libtestdriver.so.1", "535.1");
  install_numbered("b/libtestdriver.so.1", "550.1");
  const std::string value = machine_.tree.path("a") + ":" + machine_.tree.path("b");
  const ScopedVariable set("LD_LIBRARY_PATH", value.c_str());
  in_child([&] { EXPECT_EQ(found(), "a/libtestdriver.so.1"); });
}

TEST_F(DriverOn, InvalidFirst_NextIsTaken) {
  machine_.tree.file(kWsl, "not a library");
  install(kDistribution);
  in_child([&] { EXPECT_EQ(found(), kDistribution); });
}

// ---- the variable, in queries of the driver's CUDA

TEST_F(DriverOn, InvalidNamedFile_IsReportedInOneLine) {
  install(kDistribution);
  const std::string mine = machine_.tree.file("mine.so", "not a library");
  const ScopedVariable set("ANYCUDA_TESTDRIVER", mine.c_str());
  const std::string text = in_child([] {
    EXPECT_FALSE(driver_of_process().facts.present);
    EXPECT_FALSE(driver_of_process().facts.present);
  });
  EXPECT_THAT(text, HasSubstr("ANYCUDA_TESTDRIVER"));
  EXPECT_THAT(text, HasSubstr(mine));
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
}

TEST_F(DriverOn, ARightVariableOrNoneIsNotSpokenOf) {
  EXPECT_EQ(in_child([] { EXPECT_FALSE(driver_of_process().facts.present); }), "");
  install("mine.so");
  const ScopedVariable set("ANYCUDA_TESTDRIVER", machine_.tree.path("mine.so").c_str());
  EXPECT_EQ(in_child([] { EXPECT_TRUE(driver_of_process().facts.present); }), "");
}

// ---- what look_up_driver says, which asks anew each time

TEST_F(DriverOn, EveryLookUpQueriesAgain) {
  install(kDistribution);
  in_child([this] {
    Arena arena;
    const Driver driver = look_up_driver(&arena).driver;
    EXPECT_TRUE(driver.facts.present);
    EXPECT_EQ(cuda_number(driver.facts.cuda), 12020);
    EXPECT_EQ(driver.status, 0);
    EXPECT_EQ(driver.path, machine_.tree.path(kDistribution));
  });
}

TEST_F(DriverOn, MissingAndFailingAreDifferentStates) {
  in_child([] {
    Arena arena;
    EXPECT_EQ(look_up_driver(&arena).driver.status, Driver::kNoFile);
  });
  machine_.tree.fake("libtestdriver_mute.so.1", kDistribution);
  in_child([this] {
    Arena arena;
    const Driver driver = look_up_driver(&arena).driver;
    EXPECT_EQ(driver.status, Driver::kNoFunction);
    EXPECT_FALSE(driver.facts.present);
    EXPECT_EQ(driver.path, machine_.tree.path(kDistribution));
  });
  machine_.tree.fake("libtestdriver_failing.so.1", kDistribution);
  in_child([] {
    Arena arena;
    const Driver driver = look_up_driver(&arena).driver;
    EXPECT_EQ(driver.status, 803);
    EXPECT_FALSE(driver.facts.present);
    EXPECT_FALSE(driver_of_process().facts.present);
  });
}

// It is not taken for "no driver", nor for one that runs everything.
TEST_F(DriverOn, WithoutAVersion_IsAFailure) {
  machine_.tree.fake("libtestdriver_zero.so.1", kDistribution);
  in_child([] {
    Arena arena;
    const DriverLookup lookup = look_up_driver(&arena);
    EXPECT_EQ(lookup.driver.status, Driver::kNoVersion);
    EXPECT_FALSE(lookup.driver.facts.present);
    EXPECT_NE(lookup.driver.facts.error, 0);
  });
  const ScopedVariable log("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] { driver_of_process(); });
  EXPECT_THAT(text, HasSubstr("(cuDriverGetVersion: no version returned); it is treated as"));
}

// NVIDIA's libcuda.so.1 for linking, of a toolkit's folder "stubs".
TEST_F(DriverOn, TheStubForLinkingIsPassedOver) {
  machine_.tree.fake("libtestdriver_link_stub.so.1", "stubs/libtestdriver.so.1");
  const ScopedVariable set("LD_LIBRARY_PATH", machine_.tree.path("stubs").c_str());
  in_child([&] {
    Arena arena;
    const DriverLookup lookup = look_up_driver(&arena);
    EXPECT_EQ(lookup.driver.status, Driver::kNoFile);
    EXPECT_EQ(lookup.report->candidates()->image.state, FileState::link_stub);
  });
  install(kDistribution);
  in_child([&] { EXPECT_EQ(found(), kDistribution); });
}

TEST_F(DriverOn, OneThatAnswersWithAnErrorIsReported) {
  machine_.tree.fake("libtestdriver_failing.so.1", kDistribution);
  const ScopedVariable log("ANYCUDA_LOG", "warn");
  const std::string text = in_child([] {
    EXPECT_EQ(driver_of_process().facts.error, 803);
    EXPECT_EQ(driver_of_process().facts.error, 803);
  });
  EXPECT_THAT(text, HasSubstr("does not report which CUDA it supports"));
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
}

// Where ld.so.cache does not name it.
TEST_F(DriverOn, OtherFoldersAreSearchedAfterTheDistributions) {
  std::string first;
  for (const char* folder :
       {"usr/local/cuda/compat", "run/nvidia/driver/usr/lib64", "usr/lib/x86_64-linux-gnu/nvidia",
        "usr/lib/x86_64-linux-gnu/tegra", "usr/lib/nvidia/current",
        "usr/lib/x86_64-linux-gnu/nvidia/current", "usr/lib/x86_64-linux-gnu",
        "run/opengl-driver/lib", ".singularity.d/libs", "usr/lib/wsl/lib"}) {
    first = std::string("system/") + folder + "/libtestdriver.so.1";
    install(first);
    in_child([&] { EXPECT_EQ(found(), first); });
  }
}

// Does the process still have the file after it has closed it?
bool stays_after_dlclose(void* handle, const std::string& path) {
  dlclose(handle);
  return dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

TEST_F(DriverOn, AskingTheLoadedOneDoesNotPinIt) {
  install(kDistribution);
  const std::string path = machine_.tree.path(kDistribution);
  for (const bool named : {false, true}) {
    in_child([&] {
      const ScopedVariable set("ANYCUDA_TESTDRIVER", named ? path.c_str() : nullptr);
      void* const theirs = dlopen(path.c_str(), RTLD_NOW);
      Arena arena;
      const DriverLookup lookup = look_up_driver(&arena, false);
      EXPECT_STREQ(lookup.driver.path, path.c_str());
      EXPECT_EQ(lookup.driver.handle, nullptr);
      EXPECT_FALSE(stays_after_dlclose(theirs, path));
    });
  }
}

TEST_F(DriverOn, TheChosenOneStaysForItsCallers) {
  install(kDistribution);
  const std::string path = machine_.tree.path(kDistribution);
  in_child([&] {
    void* const theirs = dlopen(path.c_str(), RTLD_NOW);
    Arena arena;
    EXPECT_NE(look_up_driver(&arena).driver.handle, nullptr);
    EXPECT_TRUE(stays_after_dlclose(theirs, path));
  });
}

}  // namespace
}  // namespace anycuda
