// SPDX-License-Identifier: Apache-2.0

// Advice about managed memory, and prefetching it: device numbers and locations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"
#include "tests/support/case_names.h"

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAre;

// The last call of a runtime or driver.
struct Asked {
  const char* function = nullptr;
  std::uintptr_t address = 0;
  std::size_t size = 0;
  unsigned advice = 0;
  int device = 0;
  unsigned type = 0;
  int id = 0;
  unsigned flags = 0;
  const void* stream = nullptr;
};

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    asked = {};
    answer = 0;
    fake(
        "cudaFree", +[](void*) { return 0U; });
  }
  static Asked asked;
  static unsigned answer;

  // The runtime of 13, the runtimes of 11 and 12, and drivers since 12.2.
  void runtime_of_13() {
    fake(
        "cudaMemAdvise",
        +[](const void* p, std::size_t n, unsigned advice, v13::cudaMemLocation at) {
          asked = {"advise", address(p), n, advice, 0, at.type, at.id, 0, nullptr};
          return answer;
        });
    fake(
        "cudaMemPrefetchAsync", +[](const void* p, std::size_t n, v13::cudaMemLocation at,
                                    unsigned flags, v13::cudaStream_t stream) {
          asked = {"prefetch", address(p), n, 0, 0, at.type, at.id, flags, stream};
          return answer;
        });
    fake(
        "cudaMemPrefetchAsync_ptsz", +[](const void* p, std::size_t n, v13::cudaMemLocation at,
                                         unsigned flags, v13::cudaStream_t stream) {
          asked = {"prefetch_ptsz", address(p), n, 0, 0, at.type, at.id, flags, stream};
          return answer;
        });
  }
  void older_runtime() {
    fake(
        "cudaMemAdvise", +[](const void* p, std::size_t n, unsigned advice, int device) {
          asked = {"advise", address(p), n, advice, device, 0, 0, 0, nullptr};
          return answer;
        });
    fake(
        "cudaMemPrefetchAsync",
        +[](const void* p, std::size_t n, int device, v11::cudaStream_t stream) {
          asked = {"prefetch", address(p), n, 0, device, 0, 0, 0, stream};
          return answer;
        });
    fake(
        "cudaMemPrefetchAsync_ptsz",
        +[](const void* p, std::size_t n, int device, v11::cudaStream_t stream) {
          asked = {"prefetch_ptsz", address(p), n, 0, device, 0, 0, 0, stream};
          return answer;
        });
  }
  void driver_with_locations() {
    fake_driver(
        "cuMemAdvise_v2",
        +[](unsigned long long p, std::size_t n, unsigned advice, driver::CUmemLocation_st at) {
          asked = {"driver advise", p, n, advice, 0, at.type, at.id, 0, nullptr};
          return answer;
        });
    fake_driver(
        "cuMemPrefetchAsync_v2",
        +[](unsigned long long p, std::size_t n, driver::CUmemLocation_st at, unsigned flags,
            driver::CUstream stream) {
          asked = {"driver prefetch", p, n, 0, 0, at.type, at.id, flags, stream};
          return answer;
        });
    fake_driver(
        "cuMemPrefetchAsync_v2_ptsz",
        +[](unsigned long long p, std::size_t n, driver::CUmemLocation_st at, unsigned flags,
            driver::CUstream stream) {
          asked = {"driver prefetch_ptsz", p, n, 0, 0, at.type, at.id, flags, stream};
          return answer;
        });
  }
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  void expect_nothing_asked() { EXPECT_EQ(asked.function, nullptr); }
};
Asked Memory::asked;
unsigned Memory::answer;

int memory;
const auto stream = reinterpret_cast<v13::cudaStream_t>(&memory);
constexpr unsigned kPreferred = v13::cudaMemAdviseSetPreferredLocation;

v13::cudaMemLocation at(unsigned type, int id) {
  v13::cudaMemLocation location = {};
  location.type = type;
  location.id = id;
  return location;
}

struct Place {
  int device;
  unsigned type;
  int id;
};
void PrintTo(const Place& c, std::ostream* out) {
  if (c.device == -1) {
    *out << "host";  // cudaCpuDeviceId
  } else {
    *out << (c.device < 0 ? "invalid device " : "device ") << c.device;
  }
}
class NumberedPlace : public Memory, public ::testing::WithParamInterface<Place> {};
TEST_P(NumberedPlace, IsALocationFor13) {
  runtime_of_13();
  EXPECT_EQ(adapt_mem_advise_by_device(&memory, 77, kPreferred, GetParam().device), 0U);
  EXPECT_STREQ(asked.function, "advise");
  EXPECT_EQ(asked.address, address(&memory));
  EXPECT_EQ(asked.size, 77U);
  EXPECT_EQ(asked.advice, kPreferred);
  EXPECT_EQ(asked.type, GetParam().type);
  EXPECT_EQ(asked.id, GetParam().id);

  EXPECT_EQ(adapt_mem_prefetch_by_device(&memory, SIZE_MAX, GetParam().device, stream), 0U);
  EXPECT_STREQ(asked.function, "prefetch");
  EXPECT_EQ(asked.address, address(&memory));
  EXPECT_EQ(asked.size, SIZE_MAX);
  EXPECT_EQ(asked.type, GetParam().type);
  EXPECT_EQ(asked.id, GetParam().id);
  EXPECT_EQ(asked.flags, 0U);
  EXPECT_EQ(asked.stream, stream);

  EXPECT_EQ(adapt_mem_prefetch_by_device_ptsz(nullptr, 0, GetParam().device, nullptr), 0U);
  EXPECT_STREQ(asked.function, "prefetch_ptsz");
  EXPECT_EQ(asked.address, 0U);
  EXPECT_EQ(asked.type, GetParam().type);
  EXPECT_EQ(asked.id, GetParam().id);
}
// The device number -2 (cudaInvalidDeviceId) is invalid: the driver returns the error.
INSTANTIATE_TEST_SUITE_P(Devices, NumberedPlace,
                         ::testing::Values(Place{0, 1, 0}, Place{7, 1, 7}, Place{-1, 2, 0},
                                           Place{-2, 1, -2}),
                         test::kPrintedName);

TEST_F(Memory, TheRuntimesErrorsAreTheCallers) {
  runtime_of_13();
  answer = 101;
  EXPECT_EQ(adapt_mem_advise_by_device(&memory, 1, kPreferred, 9), 101U);
  EXPECT_EQ(adapt_mem_prefetch_by_device(&memory, 1, 9, stream), 101U);
  EXPECT_EQ(remembered(), 0U);  // the runtime remembers its own
}

TEST_F(Memory, WithoutTheRuntimesFunctionTheCallIsAbsent) {
  EXPECT_EQ(adapt_mem_advise_by_device(&memory, 1, kPreferred, 0), 302U);
  EXPECT_EQ(adapt_mem_advise_by_location(&memory, 1, kPreferred, at(1, 0)), 302U);
  EXPECT_EQ(adapt_mem_prefetch_v2(&memory, 1, {1, 0}, 0, stream), 302U);
}

TEST_F(Memory, DriverWithLocations_GetsAnyLocation) {
  older_runtime();
  driver_with_locations();
  EXPECT_EQ(adapt_mem_advise_by_location(&memory, 77, kPreferred,
                                         at(v13::cudaMemLocationTypeHostNuma, 5)),
            0U);
  EXPECT_STREQ(asked.function, "driver advise");
  EXPECT_EQ(asked.address, address(&memory));
  EXPECT_EQ(asked.size, 77U);
  EXPECT_EQ(asked.advice, kPreferred);
  EXPECT_EQ(asked.type, 3U);
  EXPECT_EQ(asked.id, 5);

  v13::cudaMemLocation domain = at(v13::cudaMemLocationTypeDeviceLocalityDomain, 0);
  domain.localized.deviceId = 3;
  domain.localized.localityDomainId = 1;
  EXPECT_EQ(adapt_mem_prefetch_by_location(&memory, 8, domain, 5, stream), 0U);
  EXPECT_STREQ(asked.function, "driver prefetch");
  EXPECT_EQ(asked.type, 6U);
  EXPECT_EQ(asked.id, 0x103);
  EXPECT_EQ(asked.flags, 5U);
  EXPECT_EQ(asked.stream, stream);

  EXPECT_EQ(adapt_mem_prefetch_by_location_ptsz(&memory, 8, at(4, 0), 0, nullptr), 0U);
  EXPECT_STREQ(asked.function, "driver prefetch_ptsz");

  EXPECT_EQ(adapt_mem_advise_v2(&memory, 8, kPreferred, {3, 1}), 0U);
  EXPECT_STREQ(asked.function, "driver advise");
  EXPECT_EQ(asked.id, 1);
  EXPECT_EQ(adapt_mem_prefetch_v2(&memory, 8, {4, 2}, 0, stream), 0U);
  EXPECT_STREQ(asked.function, "driver prefetch");
  EXPECT_EQ(asked.type, 4U);
  EXPECT_EQ(adapt_mem_prefetch_v2_ptsz(&memory, 8, {4, 2}, 0, stream), 0U);
  EXPECT_STREQ(asked.function, "driver prefetch_ptsz");
}

TEST_F(Memory, DriverErrorsAreRemembered) {
  older_runtime();
  driver_with_locations();
  answer = 101;
  EXPECT_EQ(adapt_mem_prefetch_by_location(&memory, 8, at(1, 9), 0, stream), 101U);
  EXPECT_EQ(remembered(), 101U);
}

TEST_F(Memory, OlderDriver_GetsTheDeviceNumber) {
  older_runtime();
  EXPECT_EQ(adapt_mem_advise_by_location(&memory, 77, kPreferred, at(1, 6)), 0U);
  EXPECT_STREQ(asked.function, "advise");
  EXPECT_EQ(asked.address, address(&memory));
  EXPECT_EQ(asked.size, 77U);
  EXPECT_EQ(asked.advice, kPreferred);
  EXPECT_EQ(asked.device, 6);
  EXPECT_EQ(adapt_mem_advise_v2(&memory, 1, kPreferred, {1, 6}), 0U);
  EXPECT_EQ(asked.device, 6);
  EXPECT_EQ(adapt_mem_prefetch_by_location(&memory, 1, at(1, 6), 0, stream), 0U);
  EXPECT_STREQ(asked.function, "prefetch");
  EXPECT_EQ(asked.device, 6);
  EXPECT_EQ(asked.stream, stream);
  EXPECT_EQ(adapt_mem_prefetch_by_location_ptsz(&memory, 1, at(1, 6), 0, stream), 0U);
  EXPECT_STREQ(asked.function, "prefetch_ptsz");
  EXPECT_EQ(adapt_mem_prefetch_v2_ptsz(&memory, 1, {1, 6}, 0, stream), 0U);
  EXPECT_STREQ(asked.function, "prefetch_ptsz");
}

TEST_F(Memory, HostLocation_IdIsIgnored) {
  older_runtime();
  EXPECT_EQ(adapt_mem_advise_by_location(&memory, 1, kPreferred, at(2, 4711)), 0U);
  EXPECT_EQ(asked.device, -1);
  EXPECT_EQ(adapt_mem_prefetch_v2(&memory, 1, {2, 4711}, 0, stream), 0U);
  EXPECT_EQ(asked.device, -1);
}

TEST_F(Memory, OlderDriver_UnknownLocationsAreRefused) {
  older_runtime();
  const std::string reason =
      ": a location other than a device or the whole host needs a driver of CUDA 12.2 or later";
  for (unsigned type = 3; type <= 6; ++type) {
    const std::size_t before = refused().size();
    EXPECT_EQ(adapt_mem_advise_by_location(&memory, 1, kPreferred, at(type, 0)), 801U);
    EXPECT_EQ(adapt_mem_advise_v2(&memory, 1, kPreferred, {type, 0}), 801U);
    EXPECT_EQ(adapt_mem_prefetch_by_location(&memory, 1, at(type, 0), 0, stream), 801U);
    EXPECT_EQ(adapt_mem_prefetch_v2(&memory, 1, {type, 0}, 0, stream), 801U);
    EXPECT_EQ(remembered(), 801U);
    const std::vector<std::string> reasons(refused().begin() + before, refused().end());
    EXPECT_THAT(reasons,
                ElementsAre("cudaMemAdvise" + reason, "cudaMemAdvise_v2" + reason,
                            "cudaMemPrefetchAsync" + reason, "cudaMemPrefetchAsync_v2" + reason));
  }
  expect_nothing_asked();
}

TEST_F(Memory, NoLocationAndFlags_AreInvalid) {
  older_runtime();
  EXPECT_EQ(adapt_mem_advise_by_location(&memory, 1, kPreferred, at(0, 0)), 1U);
  EXPECT_EQ(adapt_mem_prefetch_by_location(&memory, 1, at(0, 0), 0, stream), 1U);
  EXPECT_EQ(adapt_mem_prefetch_by_location(&memory, 1, at(1, 0), 1, stream), 1U);
  EXPECT_EQ(remembered(), 1U);
  expect_nothing_asked();
  EXPECT_TRUE(refused().empty());
}

TEST_F(Memory, AdviceWithoutALocation_AcceptsAny) {
  older_runtime();
  for (unsigned advice : {v13::cudaMemAdviseSetReadMostly, v13::cudaMemAdviseUnsetReadMostly,
                          v13::cudaMemAdviseUnsetPreferredLocation}) {
    asked = {};
    EXPECT_EQ(adapt_mem_advise_by_location(&memory, 1, advice, at(3, 0)), 0U);
    EXPECT_EQ(asked.advice, advice);
    EXPECT_EQ(asked.device, -1);
  }
}

}  // namespace
}  // namespace anycuda
