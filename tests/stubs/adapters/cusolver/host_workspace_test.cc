// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's first 64-bit functions, made from those of CUDA 13: the arguments that are passed on,
// and how long the host workspace lives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

#include "cusolver_adapters.h"
#include "tests/stubs/adapters/call_arguments.h"
#include "tests/stubs/adapters/fake_library.h"

// A workspace that cannot be allocated is part of a test. Weak: the build's own comes first.
extern "C" __attribute__((weak)) const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=4096";
}
extern "C" __attribute__((weak)) const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace anycuda {
namespace {

using namespace test;
using ::testing::ElementsAreArray;

constexpr Word kHandle = 1;  // the first argument of every call
constexpr std::size_t kDeviceBytes = 4096;
int stream;

template <typename T>
T argument(Word value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

// The library's calls, and its answers.
Words asked, called;
std::size_t host_bytes;
unsigned size_status, call_status;

template <typename... Args>
unsigned size_function(Args... args) {
  asked = {word(args)...};
  if (size_status != 0) return size_status;
  auto* on_device = reinterpret_cast<std::size_t*>(asked[asked.size() - 2]);
  auto* on_host = reinterpret_cast<std::size_t*>(asked.back());
  *on_device = kDeviceBytes;
  *on_host = host_bytes;
  return 0;
}

void fill(Word memory, std::size_t bytes, int value) {
  std::memset(reinterpret_cast<void*>(memory), value, bytes);
}

template <typename... Args>
unsigned function(Args... args) {
  called = {word(args)...};
  const std::size_t host = called.size() - 3;
  if (called[host + 1] != 0) fill(called[host], called[host + 1], 0x77);
  return call_status;
}

template <typename... Args>
void fake_size(const char* name, unsigned (*)(Args...)) {
  fake(name, &size_function<Args...>);
}
template <typename... Args>
void fake_function(const char* name, unsigned (*)(Args...)) {
  fake(name, &function<Args...>);
}

// Calls with 1, 2, 3 ... as arguments, the handle first.
template <typename... Args, std::size_t... places>
std::tuple<Args...> numbered(unsigned (*)(Args...), std::index_sequence<places...>) {
  return {argument<Args>(kHandle + places)...};
}
template <typename... Args>
std::tuple<Args...> numbered(unsigned (*adapter)(Args...)) {
  return numbered(adapter, std::index_sequence_for<Args...>());
}
template <typename... Args>
unsigned call(unsigned (*adapter)(Args...)) {
  return std::apply(adapter, numbered(adapter));
}
// The same with a place for the size, which comes last.
template <typename... Args>
unsigned call_for_size(unsigned (*adapter)(Args...), std::size_t* size) {
  auto arguments = numbered(adapter);
  std::get<sizeof...(Args) - 1>(arguments) = size;
  return std::apply(adapter, arguments);
}
Words first_numbers(std::size_t count) {
  Words words;
  for (Word i = 0; i < count; ++i) words.push_back(kHandle + i);
  return words;
}

// The stream: what it runs when it gets there.
struct HostFunction {
  void (*function)(void*);
  void* data;
};
std::vector<HostFunction> pending;
unsigned stream_status, capture_status, capturing;
int driver_calls;

unsigned get_stream(v13::cusolverDnHandle_t handle, v13::cudaStream_t* out) {
  EXPECT_EQ(word(handle), kHandle);
  *out = reinterpret_cast<v13::cudaStream_t>(&stream);
  return stream_status;
}
unsigned is_capturing(driver::CUstream in, driver::CUstreamCaptureStatus* out) {
  EXPECT_EQ(word(in), word(&stream));
  ++driver_calls;
  *out = capturing;
  return capture_status;
}
unsigned launch(driver::CUstream in, driver::CUhostFn host_function, void* data) {
  EXPECT_EQ(word(in), word(&stream));
  ++driver_calls;
  pending.push_back({host_function, data});
  return 0;
}
void run_stream() {
  for (const HostFunction& one : pending) one.function(one.data);
  pending.clear();
}

class HostWorkspace : public ::testing::Test {
 protected:
  void SetUp() override {
    reset();
    asked.clear();
    called.clear();
    pending.clear();
    host_bytes = 1000;
    size_status = call_status = stream_status = capture_status = capturing = 0;
    driver_calls = 0;
    fake("cusolverDnGetStream", get_stream);
    fake_driver("cuStreamIsCapturing", is_capturing);
    fake_driver("cuLaunchHostFunc", launch);
#define ANYCUDA_FAKE(name)                                                           \
  fake_size("cusolverDnX" #name "_bufferSize", v13::cusolverDnX##name##_bufferSize); \
  fake_function("cusolverDnX" #name, v13::cusolverDnX##name)
    ANYCUDA_FAKE(geqrf);
    ANYCUDA_FAKE(gesvd);
    ANYCUDA_FAKE(getrf);
    ANYCUDA_FAKE(potrf);
    ANYCUDA_FAKE(syevd);
    ANYCUDA_FAKE(syevdx);
#undef ANYCUDA_FAKE
  }
  void TearDown() override { run_stream(); }  // or LeakSanitizer reports what is left

  static Word host_memory() { return called[called.size() - 3]; }
};

// `pivots` is the place of an argument that the function for sizes does not have.
template <typename... Args>
void expect_handed_on(unsigned (*adapter)(Args...), std::size_t pivots = 0) {
  const Words given = first_numbers(sizeof...(Args));
  EXPECT_EQ(call(adapter), 0U);
  // The device workspace with the caller's size, the host workspace, the place of the status.
  Words wanted(given.begin(), given.end() - 1);
  wanted.insert(wanted.end(), {called[wanted.size()], host_bytes, given.back()});
  EXPECT_THAT(called, ElementsAreArray(wanted));
  EXPECT_NE(called[called.size() - 3], 0U);
  Words common(given.begin(), given.end() - 3);
  if (pivots != 0) common.erase(common.begin() + static_cast<std::ptrdiff_t>(pivots));
  common.insert(common.end(), asked.end() - 2, asked.end());
  EXPECT_THAT(asked, ElementsAreArray(common));
}

TEST_F(HostWorkspace, Call_HandsOnItsArgumentsAndBothWorkspaces) {
  expect_handed_on(adapt_geqrf);
  expect_handed_on(adapt_gesvd);
  expect_handed_on(adapt_getrf, 7);
  expect_handed_on(adapt_potrf);
  expect_handed_on(adapt_syevd);
  expect_handed_on(adapt_syevdx);
}

template <typename... Args>
void expect_device_size(unsigned (*adapter)(Args...)) {
  Guarded<std::size_t> size;
  EXPECT_EQ(call_for_size(adapter, size.get()), 0U);
  EXPECT_EQ(*size, kDeviceBytes);
  EXPECT_TRUE(size.intact());
  Words wanted = first_numbers(sizeof...(Args) - 1);
  wanted.insert(wanted.end(), {word(size.get()), asked.back()});
  EXPECT_THAT(asked, ElementsAreArray(wanted));
}

TEST_F(HostWorkspace, BufferSize_ReturnsTheDeviceSize) {
  expect_device_size(adapt_geqrf_buffer_size);
  expect_device_size(adapt_gesvd_buffer_size);
  expect_device_size(adapt_getrf_buffer_size);
  expect_device_size(adapt_potrf_buffer_size);
  expect_device_size(adapt_syevd_buffer_size);
  expect_device_size(adapt_syevdx_buffer_size);
}

TEST_F(HostWorkspace, BufferSize_LibraryFails_ReturnsItsStatus) {
  size_status = v13::CUSOLVER_STATUS_INVALID_VALUE;
  Guarded<std::size_t> size;
  EXPECT_EQ(call_for_size(adapt_geqrf_buffer_size, size.get()), 3U);
  EXPECT_TRUE(size.untouched());
}

TEST_F(HostWorkspace, NoHostBytes_AllocatesNothing) {
  host_bytes = 0;
  EXPECT_EQ(call(adapt_geqrf), 0U);
  EXPECT_EQ(host_memory(), 0U);
  EXPECT_EQ(driver_calls, 0);
}

TEST_F(HostWorkspace, Memory_LivesUntilTheStreamHasPassedTheCall) {
  EXPECT_EQ(call(adapt_syevd), 0U);
  const Word first = host_memory();
  EXPECT_EQ(call(adapt_syevd), 0U);
  const Word second = host_memory();
  EXPECT_NE(first, second);
  fill(first, host_bytes, 1);  // AddressSanitizer reports memory that is freed
  fill(second, host_bytes, 2);
  ASSERT_EQ(pending.size(), 2U);
  EXPECT_EQ(word(pending[0].data), first);
  EXPECT_EQ(word(pending[1].data), second);
  EXPECT_EQ(pending[0].function, &std::free);
}

TEST_F(HostWorkspace, CallFails_ReturnsItsStatusAndFreesBehindIt) {
  call_status = v13::CUSOLVER_STATUS_EXECUTION_FAILED;
  EXPECT_EQ(call(adapt_getrf), 6U);
  EXPECT_EQ(pending.size(), 1U);
}

// Calls that keep the memory for good.
class KeptWorkspace : public HostWorkspace {
 protected:
  void expect_kept() {
    EXPECT_EQ(call(adapt_potrf), 0U);
    EXPECT_TRUE(pending.empty());
    fill(host_memory(), host_bytes, 1);
    std::free(reinterpret_cast<void*>(host_memory()));
  }
};

TEST_F(KeptWorkspace, StreamIsCaptured) {
  capturing = driver::CU_STREAM_CAPTURE_STATUS_ACTIVE;
  expect_kept();
}

TEST_F(KeptWorkspace, CaptureIsUnknown) {
  capture_status = driver::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  expect_kept();
}

TEST_F(KeptWorkspace, StreamIsUnknown) {
  stream_status = v13::CUSOLVER_STATUS_NOT_INITIALIZED;
  expect_kept();
  EXPECT_EQ(driver_calls, 0);
}

TEST_F(HostWorkspace, SizeIsUnknown_ReturnsTheStatusAndCallsNothing) {
  size_status = v13::CUSOLVER_STATUS_NOT_INITIALIZED;
  EXPECT_EQ(call(adapt_gesvd), 1U);
  EXPECT_TRUE(called.empty());
  EXPECT_EQ(driver_calls, 0);
}

TEST_F(HostWorkspace, NoMemory_ReturnsAllocFailedAndKeepsErrno) {
  host_bytes = std::numeric_limits<std::size_t>::max();
  errno = 77;
  EXPECT_EQ(call(adapt_syevdx), 2U);
  EXPECT_EQ(errno, 77);
  EXPECT_TRUE(called.empty());
  EXPECT_EQ(driver_calls, 0);
}

}  // namespace
}  // namespace anycuda
