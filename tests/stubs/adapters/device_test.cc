// SPDX-License-Identifier: Apache-2.0

// Properties of devices in the struct of another major, and cudaChooseDevice.
#include <gtest/gtest.h>

#include <set>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

// Every attribute of the device has the value 1000 + its number, but for those that the driver does
// not know.
std::set<unsigned> unknown_attributes;
int asked_device;
unsigned attribute(int* value, unsigned number, int device) {
  asked_device = device;
  if (unknown_attributes.count(number) != 0) {
    *value = 77;  // the caller must not rely on what a failing driver leaves there
    set_library_error(1);
    return 1;
  }
  *value = static_cast<int>(1000 + number);
  return 0;
}

template <typename Properties>
unsigned properties(Properties* to, int device) {
  if (to == nullptr) return 1;
  if (device != 3) return 101;
  std::memset(to, 0x77, sizeof *to);  // fields that the tests do not name, and reserved ones
  std::strcpy(to->name, "a device");
  to->uuid.bytes[15] = 15;
  to->luid[7] = 7;
  to->totalGlobalMem = 1ULL << 40;
  to->maxGridSize[2] = 65535;
  to->major = 9;
  to->minor = 1;
  to->multiProcessorCount = 132;
  to->maxTexture3D[2] = 16384;
  to->memoryBusWidth = 6144;
  to->hostNativeAtomicSupported = 5;
  to->pageableMemoryAccess = 6;
  to->cooperativeLaunch = 8;
  to->sharedMemPerBlockOptin = 232448;
  to->reservedSharedMemPerBlock = 1024;
  return 0;
}

template <typename Properties>
void expect_common_fields(const Properties& got) {
  EXPECT_STREQ(got.name, "a device");
  EXPECT_EQ(got.uuid.bytes[15], 15);
  EXPECT_EQ(got.luid[7], 7);
  EXPECT_EQ(got.totalGlobalMem, 1ULL << 40);
  EXPECT_EQ(got.maxGridSize[2], 65535);
  EXPECT_EQ(got.major, 9);
  EXPECT_EQ(got.minor, 1);
  EXPECT_EQ(got.multiProcessorCount, 132);
  EXPECT_EQ(got.maxTexture3D[2], 16384);
  EXPECT_EQ(got.memoryBusWidth, 6144);
  EXPECT_EQ(got.hostNativeAtomicSupported, 5);
  EXPECT_EQ(got.pageableMemoryAccess, 6);
  EXPECT_EQ(got.cooperativeLaunch, 8);
  EXPECT_EQ(got.sharedMemPerBlockOptin, 232448U);
  EXPECT_EQ(got.reservedSharedMemPerBlock, 1024U);
}

// The numbers are those of the interface, written down once more.
template <typename Properties>
void expect_fields_dropped_by_13(const Properties& got) {
  EXPECT_EQ(got.clockRate, 1013);
  EXPECT_EQ(got.deviceOverlap, 1015);
  EXPECT_EQ(got.kernelExecTimeoutEnabled, 1017);
  EXPECT_EQ(got.computeMode, 1020);
  EXPECT_EQ(got.memoryClockRate, 1036);
  EXPECT_EQ(got.maxTexture1DLinear, 1069);
  EXPECT_EQ(got.singleToDoublePrecisionPerfRatio, 1087);
  EXPECT_EQ(got.cooperativeMultiDeviceLaunch, 1096);
}
template <typename Properties>
void expect_fields_added_by_12(const Properties& got) {
  EXPECT_EQ(got.hostRegisterSupported, 1099);
  EXPECT_EQ(got.sparseCudaArraySupported, 1112);
  EXPECT_EQ(got.hostRegisterReadOnlySupported, 1113);
  EXPECT_EQ(got.timelineSemaphoreInteropSupported, 1114);
  EXPECT_EQ(got.memoryPoolsSupported, 1115);
  EXPECT_EQ(got.gpuDirectRDMASupported, 1116);
  EXPECT_EQ(got.gpuDirectRDMAFlushWritesOptions, 1117U);
  EXPECT_EQ(got.gpuDirectRDMAWritesOrdering, 1118);
  EXPECT_EQ(got.memoryPoolSupportedHandleTypes, 1119U);
  EXPECT_EQ(got.clusterLaunch, 1120);
  EXPECT_EQ(got.deferredMappingCudaArraySupported, 1121);
  EXPECT_EQ(got.ipcEventSupported, 1125);
  EXPECT_EQ(got.unifiedFunctionPointers, 1129);
}
void expect_fields_added_by_13(const v13::cudaDeviceProp& got) {
  EXPECT_EQ(got.deviceNumaConfig, 1130);
  EXPECT_EQ(got.deviceNumaId, 1131);
  EXPECT_EQ(got.mpsEnabled, 1133);
  EXPECT_EQ(got.hostNumaId, 1134);
  EXPECT_EQ(got.gpuPciDeviceID, 1139U);
  EXPECT_EQ(got.gpuPciSubsystemID, 1140U);
  EXPECT_EQ(got.hostNumaMultinodeIpcSupported, 1143);
}
template <typename Properties>
bool reserved_is_zero(const Properties& got) {
  for (const int word : got.reserved) {
    if (word != 0) return false;
  }
  return true;
}

class Device : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    unknown_attributes.clear();
    fake("cudaDeviceGetAttribute", attribute);
  }

  template <typename Properties>
  static void expect_native_failures(unsigned (*call)(Properties*, int)) {
    Guarded<Properties> got;
    EXPECT_EQ(call(got.get(), 4), 101U);
    EXPECT_TRUE(got.untouched());
    EXPECT_TRUE(got.intact());
    EXPECT_EQ(call(nullptr, 3), 1U);
  }
};

TEST_F(Device, Caller11On13_GetsTheDroppedFields) {
  fake("cudaGetDeviceProperties", properties<v13::cudaDeviceProp>);
  Guarded<v11::cudaDeviceProp> got;
  ASSERT_EQ(adapt_properties_before_12_on_13(got.get(), 3), 0U);
  EXPECT_TRUE(got.intact());
  EXPECT_EQ(asked_device, 3);
  expect_common_fields(*got);
  expect_fields_dropped_by_13(*got);
  expect_native_failures(&adapt_properties_before_12_on_13);
}

TEST_F(Device, ACallerOf12GetsItsStructFrom13) {
  fake(
      "cudaGetDeviceProperties", +[](v13::cudaDeviceProp* to, int device) {
        const unsigned status = properties(to, device);
        if (status == 0) to->clusterLaunch = 1, to->unifiedFunctionPointers = 2;
        return status;
      });
  Guarded<v12::cudaDeviceProp> got;
  ASSERT_EQ(adapt_properties_of_12_on_13(got.get(), 3), 0U);
  EXPECT_TRUE(got.intact());
  expect_common_fields(*got);
  expect_fields_dropped_by_13(*got);
  EXPECT_EQ(got->clusterLaunch, 1);
  EXPECT_EQ(got->unifiedFunctionPointers, 2);
  EXPECT_TRUE(reserved_is_zero(*got));
  expect_native_failures(&adapt_properties_of_12_on_13);
}

TEST_F(Device, Caller12On11_GetsTheAddedFields) {
  fake(
      "cudaGetDeviceProperties", +[](v11::cudaDeviceProp* to, int device) {
        const unsigned status = properties(to, device);
        if (status == 0) to->clockRate = 1980000, to->deviceOverlap = 1;
        return status;
      });
  Guarded<v12::cudaDeviceProp> got;
  ASSERT_EQ(adapt_properties_of_12_on_11(got.get(), 3), 0U);
  EXPECT_TRUE(got.intact());
  expect_common_fields(*got);
  expect_fields_added_by_12(*got);
  EXPECT_EQ(got->clockRate, 1980000);
  EXPECT_EQ(got->deviceOverlap, 1);
  EXPECT_TRUE(reserved_is_zero(*got));
  expect_native_failures(&adapt_properties_of_12_on_11);
}

TEST_F(Device, Caller13On11_GetsTheAddedFields) {
  fake("cudaGetDeviceProperties", properties<v11::cudaDeviceProp>);
  Guarded<v13::cudaDeviceProp> got;
  ASSERT_EQ(adapt_properties_of_13_on_11(got.get(), 3), 0U);
  EXPECT_TRUE(got.intact());
  expect_common_fields(*got);
  expect_fields_added_by_12(*got);
  expect_fields_added_by_13(*got);
  EXPECT_TRUE(reserved_is_zero(*got));
  expect_native_failures(&adapt_properties_of_13_on_11);
}

TEST_F(Device, ACallerOf13GetsItsStructFrom12) {
  fake(
      "cudaGetDeviceProperties_v2", +[](v12::cudaDeviceProp* to, int device) {
        const unsigned status = properties(to, device);
        if (status == 0) to->clusterLaunch = 1, to->unifiedFunctionPointers = 2;
        return status;
      });
  Guarded<v13::cudaDeviceProp> got;
  ASSERT_EQ(adapt_properties_of_13_on_12(got.get(), 3), 0U);
  EXPECT_TRUE(got.intact());
  expect_common_fields(*got);
  expect_fields_added_by_13(*got);
  EXPECT_EQ(got->clusterLaunch, 1);
  EXPECT_EQ(got->unifiedFunctionPointers, 2);
  EXPECT_TRUE(reserved_is_zero(*got));
  expect_native_failures(&adapt_properties_of_13_on_12);
}

TEST_F(Device, UnknownToTheDriver_IsZeroWithoutAnError) {
  fake("cudaGetDeviceProperties", properties<v11::cudaDeviceProp>);
  unknown_attributes = {120, 130, 131, 134, 143};
  set_library_error(719);
  Guarded<v13::cudaDeviceProp> got;
  ASSERT_EQ(adapt_properties_of_13_on_11(got.get(), 3), 0U);
  EXPECT_EQ(got->clusterLaunch, 0);
  EXPECT_EQ(got->deviceNumaConfig, 0);
  EXPECT_EQ(got->deviceNumaId, -1);  // 0 is a NUMA node
  EXPECT_EQ(got->hostNumaId, -1);
  EXPECT_EQ(got->hostNumaMultinodeIpcSupported, 0);
  EXPECT_EQ(got->mpsEnabled, 1133);
  EXPECT_EQ(library_error(), 719U);
  EXPECT_EQ(remembered(), 0U);
  EXPECT_TRUE(got.intact());
}

// What the runtimes compare: name, totalGlobalMem, major and minor.
template <typename Theirs>
unsigned choose(int* device, const Theirs* wanted) {
  if (device == nullptr || wanted == nullptr) return 1;
  EXPECT_STREQ(wanted->name, "a device");
  EXPECT_EQ(wanted->totalGlobalMem, 1ULL << 33);
  EXPECT_EQ(wanted->major, 8);
  EXPECT_EQ(wanted->minor, -1);
  *device = 5;
  return 0;
}
template <typename Theirs, typename Mine>
void expect_choice(unsigned (*adapter)(int*, const Mine*)) {
  reset();
  fake("cudaChooseDevice", choose<Theirs>);
  Guarded<Mine> wanted(0);
  std::strcpy(wanted->name, "a device");
  wanted->totalGlobalMem = 1ULL << 33;
  wanted->major = 8;
  wanted->minor = -1;
  Guarded<int> device;
  EXPECT_EQ(adapter(device.get(), wanted.get()), 0U);
  EXPECT_EQ(*device, 5);
  EXPECT_TRUE(device.intact());
  EXPECT_TRUE(wanted.intact());
  Guarded<int> none;
  EXPECT_EQ(adapter(none.get(), nullptr), 1U);
  EXPECT_TRUE(none.untouched());
  EXPECT_EQ(adapter(nullptr, wanted.get()), 1U);
}

TEST_F(Device, ChosenPropertiesReachEveryRuntime) {
  expect_choice<v12::cudaDeviceProp>(&adapt_copy_11_12_cudaChooseDevice);
  expect_choice<v13::cudaDeviceProp>(&adapt_copy_11_13_cudaChooseDevice);
  expect_choice<v11::cudaDeviceProp>(&adapt_copy_12_11_cudaChooseDevice);
  expect_choice<v13::cudaDeviceProp>(&adapt_copy_12_13_cudaChooseDevice);
  expect_choice<v11::cudaDeviceProp>(&adapt_copy_13_11_cudaChooseDevice);
  expect_choice<v12::cudaDeviceProp>(&adapt_copy_13_12_cudaChooseDevice);
}

}  // namespace
}  // namespace anycuda
