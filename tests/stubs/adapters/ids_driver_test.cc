// SPDX-License-Identifier: Apache-2.0

// The driver's log, notifications, atomics and locations: the driver's arguments, and the results.
#include <gtest/gtest.h>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda {
namespace {

using namespace test;

unsigned driver_status;  // what every function of the driver answers
unsigned init_status;    // what the runtime says about driver and devices
bool initialised;
bool has_context;

unsigned answer() { return !initialised ? 3 : driver_status; }

class OfTheDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    driver_status = init_status = 0;
    initialised = has_context = false;
    fake(
        "cudaGetDeviceCount", +[](int* count) {
          if (init_status == 0) *count = 8;
          initialised = init_status == 0;
          return init_status;
        });
    fake(
        "cudaFree", +[](void*) {
          initialised = has_context = init_status == 0;
          return init_status;
        });
  }
};

// Calls it as a program would: first in a process that has not used CUDA, then with a driver that
// fails, then with one that lacks the function.
template <typename Call>
void expect_answers(Call call) {
  EXPECT_EQ(call(), 0U);
  EXPECT_EQ(remembered(), 0U);
  driver_status = 999;
  EXPECT_EQ(call(), 999U);
  EXPECT_EQ(remembered(), 999U);
  reset();
  fake(
      "cudaGetDeviceCount", +[](int*) { return 0U; });
  EXPECT_EQ(call(), 302U);
  EXPECT_EQ(remembered(), 302U);
  EXPECT_FALSE(refused().empty());
}

void on_log(void*, unsigned, char*, std::size_t) {}
opaque::CUlogsCallbackEntry_st* const kLogHandle =
    reinterpret_cast<opaque::CUlogsCallbackEntry_st*>(0x10);
int user_data;

TEST_F(OfTheDriver, ALogIsRegisteredFor) {
  fake_driver(
      "cuLogsRegisterCallback",
      +[](driver::CUlogsCallback callback, void* data, driver::CUlogsCallbackHandle* to) {
        EXPECT_EQ(callback, &on_log);
        EXPECT_EQ(data, &user_data);
        if (answer() == 0) *to = kLogHandle;
        return answer();
      });
  Guarded<v13::cudaLogsCallbackHandle> got;
  expect_answers([&] { return adapt_logs_register_callback(&on_log, &user_data, got.get()); });
  EXPECT_EQ(*got, kLogHandle);
  EXPECT_TRUE(got.intact());
}

TEST_F(OfTheDriver, LogCallbackIsUnregistered) {
  fake_driver(
      "cuLogsUnregisterCallback", +[](driver::CUlogsCallbackHandle handle) {
        EXPECT_EQ(handle, kLogHandle);
        return answer();
      });
  expect_answers([] { return adapt_logs_unregister_callback(kLogHandle); });
}

TEST_F(OfTheDriver, LogsCurrentReturnsThePosition) {
  fake_driver(
      "cuLogsCurrent", +[](unsigned* iterator, unsigned flags) {
        EXPECT_EQ(flags, 5U);
        if (answer() == 0) *iterator = 77;
        return answer();
      });
  Guarded<v13::cudaLogIterator> got;
  expect_answers([&] { return adapt_logs_current(got.get(), 5); });
  EXPECT_EQ(*got, 77U);
  EXPECT_TRUE(got.intact());
}

TEST_F(OfTheDriver, ALogGoesToAFileOrToMemory) {
  fake_driver(
      "cuLogsDumpToFile", +[](unsigned* iterator, const char* path, unsigned flags) {
        EXPECT_EQ(*iterator, 3U);
        EXPECT_STREQ(path, "log");
        EXPECT_EQ(flags, 6U);
        return answer();
      });
  v13::cudaLogIterator iterator = 3;
  expect_answers([&] { return adapt_logs_dump_to_file(&iterator, "log", 6); });

  SetUp();
  fake_driver(
      "cuLogsDumpToMemory",
      +[](unsigned* iterator, char* buffer, std::size_t* size, unsigned flags) {
        EXPECT_EQ(*iterator, 3U);
        EXPECT_EQ(*size, 100U);
        EXPECT_EQ(flags, 7U);
        if (answer() == 0) buffer[0] = 'x';
        return answer();
      });
  char buffer[100] = {};
  std::size_t size = sizeof buffer;
  expect_answers([&] { return adapt_logs_dump_to_memory(&iterator, buffer, &size, 7); });
  EXPECT_EQ(buffer[0], 'x');
}

unsigned long long over_budget;
void on_notice(v12::cudaAsyncNotificationInfo* notice, void*, opaque::cudaAsyncCallbackEntry*) {
  if (notice->type == 1) over_budget = notice->info.overBudget.bytesOverBudget;
}
auto* const kNoticeHandle = reinterpret_cast<opaque::CUasyncCallbackEntry_st*>(0x20);

TEST_F(OfTheDriver, ADeviceNotifiesTheCallersFunction) {
  fake_driver(
      "cuDeviceRegisterAsyncNotification", +[](int device, driver::CUasyncCallback callback,
                                               void* data, driver::CUasyncCallbackHandle* to) {
        EXPECT_EQ(device, 4);
        EXPECT_EQ(data, &user_data);
        driver::CUasyncNotificationInfo_st notice = {};
        notice.type = 1;
        notice.info.overBudget.bytesOverBudget = 1ULL << 40;
        if (answer() == 0) callback(&notice, data, kNoticeHandle);
        if (answer() == 0) *to = kNoticeHandle;
        return answer();
      });
  Guarded<v12::cudaAsyncCallbackHandle_t> got;
  expect_answers(
      [&] { return adapt_register_async_notification(4, &on_notice, &user_data, got.get()); });
  EXPECT_EQ(static_cast<void*>(*got), kNoticeHandle);
  EXPECT_TRUE(got.intact());
  EXPECT_EQ(over_budget, 1ULL << 40);
}

TEST_F(OfTheDriver, ADeviceNotifiesNoLonger) {
  fake_driver(
      "cuDeviceUnregisterAsyncNotification", +[](int device, driver::CUasyncCallbackHandle handle) {
        EXPECT_EQ(device, 4);
        EXPECT_EQ(handle, kNoticeHandle);
        return answer();
      });
  expect_answers([] {
    return adapt_unregister_async_notification(
        4, reinterpret_cast<v12::cudaAsyncCallbackHandle_t>(kNoticeHandle));
  });
}

TEST_F(OfTheDriver, LinkAtomicsAreQueriedWithoutAContext) {
  static const unsigned operations[] = {0, 10, 12};
  fake_driver(
      "cuDeviceGetHostAtomicCapabilities",
      +[](unsigned* to, const unsigned* asked, unsigned count, int device) {
        EXPECT_EQ(asked, operations);
        EXPECT_EQ(count, 3U);
        EXPECT_EQ(device, 4);
        for (unsigned i = 0; answer() == 0 && i < count; ++i) to[i] = asked[i] + 1;
        return answer();
      });
  Guarded<unsigned[3]> got;
  expect_answers([&] { return adapt_host_atomic_capabilities(*got, operations, 3, 4); });
  EXPECT_EQ((*got)[2], 13U);
  EXPECT_TRUE(got.intact());
  EXPECT_FALSE(has_context);

  SetUp();
  fake_driver(
      "cuDeviceGetP2PAtomicCapabilities",
      +[](unsigned* to, const unsigned* asked, unsigned count, int source, int target) {
        EXPECT_EQ(asked, operations);
        EXPECT_EQ(count, 3U);
        EXPECT_EQ(source, 4);
        EXPECT_EQ(target, 5);
        for (unsigned i = 0; answer() == 0 && i < count; ++i) to[i] = asked[i] + 2;
        return answer();
      });
  expect_answers([&] { return adapt_p2p_atomic_capabilities(*got, operations, 3, 4, 5); });
  EXPECT_EQ((*got)[2], 14U);
  EXPECT_TRUE(got.intact());
  EXPECT_FALSE(has_context);
}

TEST_F(OfTheDriver, DriverFaultsAreTheRuntimesAnswer) {
  init_status = 35;
  Guarded<unsigned> got;
  EXPECT_EQ(adapt_host_atomic_capabilities(got.get(), got.get(), 1, 0), 35U);
  EXPECT_TRUE(got.untouched());
}

TEST_F(OfTheDriver, TheLocationOfMemory) {
  fake_driver(
      "cuMemGetLocationInfo", +[](unsigned long long pointer, std::size_t size, std::size_t summary,
                                  std::size_t sampling, driver::CUmemLocation_st* to) {
        EXPECT_EQ(pointer, reinterpret_cast<unsigned long long>(&user_data));
        EXPECT_EQ(size, 1000U);
        EXPECT_EQ(summary, 2000U);
        EXPECT_EQ(sampling, 3000U);
        if (answer() == 0) to->type = 3, to->id = 9;
        return answer();
      });
  Guarded<v13::cudaMemLocation> got;
  expect_answers(
      [&] { return adapt_mem_get_location_info(&user_data, 1000, 2000, 3000, got.get()); });
  EXPECT_EQ(got->type, v13::cudaMemLocationTypeHostNuma);
  EXPECT_EQ(got->id, 9);
  EXPECT_TRUE(got.intact());
}

}  // namespace
}  // namespace anycuda
