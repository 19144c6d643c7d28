// SPDX-License-Identifier: Apache-2.0

// Driver entry points for callers of another major: from real driver libraries, which answer
// without a GPU, and from made-up ones.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"
#include "tests/support/artifacts.h"

namespace anycuda {
namespace {

using namespace test;

constexpr unsigned kFound = 0;
constexpr unsigned kNoSuchSymbol = 1;
constexpr unsigned kNewerThanAsked = 2;

class DriverEntryPoint : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    fake(
        "cudaGetDeviceCount", +[](int* count) {
          *count = 1;
          return 0U;
        });
  }

  // The driver of the process becomes that of an artifact. "": it is there.
  std::string use_driver(const std::string& artifact) {
    const Artifacts& artifacts = Artifacts::of_this_build();
    if (!artifacts.has(artifact)) return artifacts.why_missing(artifact);
    const auto file = artifacts.folder(artifact) / "libcuda.so.1";
    driver_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (driver_ == nullptr) return dlerror();
    for (const char* name : {"cuGetProcAddress", "cuGetProcAddress_v2", "cuDriverGetVersion"}) {
      fake_address(name, exported(name));
    }
    return "";
  }
  void* exported(const char* name) {
    void* found = dlsym(driver_, name);
    EXPECT_NE(found, nullptr) << name;
    return found;
  }

  using Newer = unsigned (*)(const char*, void**, unsigned long long, unsigned*);
  struct Answer {
    unsigned status;
    void* function;
    unsigned result;
  };
  static Answer ask(Newer door, const char* name, unsigned long long flags = 0) {
    Guarded<void*> function;
    Guarded<unsigned> result;
    const unsigned status = door(name, function.get(), flags, result.get());
    EXPECT_TRUE(function.intact());
    EXPECT_TRUE(result.intact());
    EXPECT_EQ(function.untouched(), status != 0) << name;
    EXPECT_EQ(result.untouched(), status != 0) << name;
    return {status, *function, *result};
  }
  template <unsigned version>
  static unsigned by_version(const char* name, void** function, unsigned long long flags,
                             unsigned* result) {
    return adapt_driver_entry_point_by_version(name, function, version, flags, result);
  }
  void expect_found(Newer door, const char* name, const char* form) {
    const Answer answer = ask(door, name);
    EXPECT_EQ(answer.status, 0U) << name;
    EXPECT_EQ(answer.result, kFound) << name;
    EXPECT_EQ(answer.function, exported(form)) << name;
  }
  static void expect_not_found(Newer door, const char* name, unsigned result) {
    const Answer answer = ask(door, name);
    EXPECT_EQ(answer.status, 0U) << name;
    EXPECT_EQ(answer.result, result) << name;
    EXPECT_EQ(answer.function, nullptr) << name;
  }
  void expect_found_by_11(const char* name, const char* form) {
    Guarded<void*> function;
    EXPECT_EQ(adapt_driver_entry_point_of_11(name, function.get(), 0), 0U) << name;
    EXPECT_EQ(*function, exported(form)) << name;
    EXPECT_TRUE(function.intact());
  }

  void* driver_ = nullptr;
};

#define USE_DRIVER(artifact)                          \
  do {                                                \
    const std::string missing = use_driver(artifact); \
    if (!missing.empty()) GTEST_SKIP() << missing;    \
  } while (false)

TEST_F(DriverEntryPoint, ACallerOf11GetsTheFormsOf11) {
  USE_DRIVER("driver-550");
  expect_found_by_11("cuInit", "cuInit");
  expect_found_by_11("cuMemGetInfo", "cuMemGetInfo_v2");
  expect_found_by_11("cuCtxCreate", "cuCtxCreate_v3");
  expect_found_by_11("cuGetProcAddress", "cuGetProcAddress");
  expect_found_by_11("cuGraphAddKernelNode", "cuGraphAddKernelNode");
  expect_found_by_11("cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2");
  expect_found_by_11("cuMemAdvise", "cuMemAdvise");
}

TEST_F(DriverEntryPoint, Caller11_NotFoundIsAnError) {
  USE_DRIVER("driver-550");
  for (const char* name : {"cuNoSuchFunction", "", "cuStreamGetId", "cuMemAdvise_v2"}) {
    Guarded<void*> function;
    EXPECT_EQ(adapt_driver_entry_point_of_11(name, function.get(), 0), 500U) << name;
    EXPECT_EQ(remembered(), 500U);
    EXPECT_TRUE(function.untouched());
  }
}

TEST_F(DriverEntryPoint, ACallerOf12GetsTheFormsOf12) {
  USE_DRIVER("driver-550");
  const Newer door = &adapt_driver_entry_point_of_12;
  expect_found(door, "cuMemGetInfo", "cuMemGetInfo_v2");
  expect_found(door, "cuGetProcAddress", "cuGetProcAddress_v2");
  expect_found(door, "cuGraphAddKernelNode", "cuGraphAddKernelNode_v2");
  expect_found(door, "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3");
  expect_found(door, "cuMemAdvise", "cuMemAdvise_v2");
  expect_found(door, "cuStreamGetId", "cuStreamGetId");
  expect_not_found(door, "cuNoSuchFunction", kNoSuchSymbol);
  expect_not_found(door, "", kNoSuchSymbol);
  EXPECT_EQ(remembered(), 0U);
}

TEST_F(DriverEntryPoint, OlderDriverOfTheSameMajor_GivesItsForms) {
  USE_DRIVER("driver-535");
  expect_found(&adapt_driver_entry_point_of_12, "cuStreamGetCaptureInfo",
               "cuStreamGetCaptureInfo_v2");
}

TEST_F(DriverEntryPoint, Caller13_OlderDriver_OtherFormsAreNotFound) {
  USE_DRIVER("driver-550");
  const Newer door = &adapt_driver_entry_point_of_13;
  expect_found(door, "cuMemAdvise", "cuMemAdvise_v2");
  expect_found(door, "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3");
  expect_found(door, "cuGraphAddNode", "cuGraphAddNode_v2");  // 13.0's form, not yet 13.4's
  // Of 12.5, 12.8 and 13.0; this driver is of 12.4.
  for (const char* name : {"cuCtxCreate", "cuEventElapsedTime", "cuCtxSynchronize"}) {
    expect_not_found(door, name, kNewerThanAsked);
  }
  expect_not_found(door, "cuNoSuchFunction", kNoSuchSymbol);
}

// Driver 580 answers 1 to a version newer than its own.
TEST_F(DriverEntryPoint, RequestedVersionIsAtMostTheDrivers) {
  static int asked;
  fake_driver(
      "cuDriverGetVersion", +[](int* version) {
        *version = 13000;
        return 0U;
      });
  fake_driver(
      "cuGetProcAddress_v2",
      +[](const char*, void** function, int version, unsigned long long, unsigned* result) {
        asked = version;
        *result = kFound;
        *function = &asked;
        return version > 13000 ? 1U : 0U;
      });
  EXPECT_EQ(ask(&adapt_driver_entry_point_of_13, "cuInit").status, 0U);
  EXPECT_EQ(asked, 13000);
  EXPECT_EQ(ask(&adapt_driver_entry_point_of_12, "cuInit").status, 0U);
  EXPECT_EQ(asked, v12::CUDART_VERSION);
  EXPECT_EQ(ask(&by_version<13050>, "cuInit").status, 1U) << "what the caller names is its own";
}

TEST_F(DriverEntryPoint, RequestedVersionIsPassedOn) {
  USE_DRIVER("driver-550");
  expect_found(&by_version<11080>, "cuMemAdvise", "cuMemAdvise");
  expect_found(&by_version<12010>, "cuMemAdvise", "cuMemAdvise");
  expect_found(&by_version<12020>, "cuMemAdvise", "cuMemAdvise_v2");
  expect_found(&by_version<13000>, "cuMemAdvise", "cuMemAdvise_v2");
  expect_found(&by_version<12090>, "cuCtxCreate", "cuCtxCreate_v3");
  expect_not_found(&by_version<13000>, "cuCtxCreate", kNewerThanAsked);
  expect_not_found(&by_version<0xffffffff>, "cuCtxCreate", kNewerThanAsked);
  expect_not_found(&by_version<11080>, "cuStreamGetId", kNewerThanAsked);
  expect_not_found(&by_version<0>, "cuInit", kNewerThanAsked);
}

TEST_F(DriverEntryPoint, FlagsChooseTheDefaultStream) {
  USE_DRIVER("driver-550");
  const char* name = "cuStreamSynchronize";
  void* const legacy = exported("cuStreamSynchronize");
  void* const per_thread = exported("cuStreamSynchronize_ptsz");
  struct {
    unsigned long long flags;
    void* plain;
    void* ptsz;
  } const cases[] = {{0, legacy, per_thread}, {1, legacy, legacy}, {2, per_thread, per_thread}};
  for (const auto& one : cases) {
    for (const Newer door :
         {&adapt_driver_entry_point_of_12, &adapt_driver_entry_point_of_13, &by_version<12000>}) {
      EXPECT_EQ(ask(door, name, one.flags).function, one.plain) << one.flags;
    }
    for (const Newer door :
         {&adapt_driver_entry_point_of_12_ptsz, &adapt_driver_entry_point_of_13_ptsz}) {
      EXPECT_EQ(ask(door, name, one.flags).function, one.ptsz) << one.flags;
    }
    void* function = nullptr;
    unsigned result = 9;
    EXPECT_EQ(adapt_driver_entry_point_by_version_ptsz(name, &function, 12000, one.flags, &result),
              0U);
    EXPECT_EQ(function, one.ptsz);
    EXPECT_EQ(adapt_driver_entry_point_of_11(name, &function, one.flags), 0U);
    EXPECT_EQ(function, one.plain);
    EXPECT_EQ(adapt_driver_entry_point_of_11_ptsz(name, &function, one.flags), 0U);
    EXPECT_EQ(function, one.ptsz);
  }
}

TEST_F(DriverEntryPoint, UnknownFlagsAreTheDriversErrorWithoutOutput) {
  USE_DRIVER("driver-550");
  EXPECT_EQ(ask(&adapt_driver_entry_point_of_12, "cuInit", 8).status, 1U);
  EXPECT_EQ(remembered(), 1U);
  Guarded<void*> function;
  EXPECT_EQ(adapt_driver_entry_point_of_11("cuInit", function.get(), 8), 1U);
  EXPECT_TRUE(function.untouched());
}

TEST_F(DriverEntryPoint, NullPointersAreInvalidButForTheResult) {
  USE_DRIVER("driver-550");
  EXPECT_EQ(ask(&adapt_driver_entry_point_of_12, nullptr).status, 1U);
  unsigned result = 9;
  EXPECT_EQ(adapt_driver_entry_point_of_12("cuInit", nullptr, 0, &result), 1U);
  EXPECT_EQ(adapt_driver_entry_point_of_11("cuInit", nullptr, 0), 1U);
  EXPECT_EQ(remembered(), 1U);
  Guarded<void*> function;
  EXPECT_EQ(adapt_driver_entry_point_of_13("cuInit", function.get(), 0, nullptr), 0U);
  EXPECT_EQ(*function, exported("cuInit"));
}

TEST_F(DriverEntryPoint, WithoutDevice_RuntimeErrorAndNoOutput) {
  USE_DRIVER("driver-550");
  fake(
      "cudaGetDeviceCount", +[](int*) { return 100U; });
  EXPECT_EQ(ask(&adapt_driver_entry_point_of_12, "cuInit").status, 100U);
  Guarded<void*> function;
  EXPECT_EQ(adapt_driver_entry_point_of_11("cuInit", function.get(), 0), 100U);
  EXPECT_TRUE(function.untouched());
}

// Drivers of CUDA 11 have only the first form of cuGetProcAddress.
int some_function;
unsigned driver_of_11(const char* name, void** function, int version, unsigned long) {
  EXPECT_EQ(version, 11080);
  if (std::string(name) == "cuBroken") return 999;
  if (std::string(name) != "cuInit") return 500;
  *function = &some_function;
  return 0;
}

TEST_F(DriverEntryPoint, Caller12_Driver11_GetsResultsOf12) {
  fake_driver("cuGetProcAddress", driver_of_11);
  fake_driver(
      "cuDriverGetVersion", +[](int* version) {
        *version = 11080;
        return 0U;
      });
  const Newer door = &adapt_driver_entry_point_of_12;
  EXPECT_EQ(ask(door, "cuInit").function, &some_function);
  expect_not_found(door, "cuStreamGetId", kNoSuchSymbol);
  expect_not_found(door, "cuGraphAddKernelNode", kNewerThanAsked);  // 12.0 gave it other parameters
  EXPECT_EQ(remembered(), 0U);
  EXPECT_EQ(ask(door, "cuBroken").status, 999U);
  EXPECT_EQ(remembered(), 999U);
}

}  // namespace
}  // namespace anycuda
