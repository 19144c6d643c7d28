// SPDX-License-Identifier: Apache-2.0

// External memory and semaphores across majors.
#include <gtest/gtest.h>

#include <vector>

#include "tests/stubs/adapters/fake_runtime.h"

// AddressSanitizer's malloc says no to what is too much, as the real one does.
extern "C" __attribute__((weak)) const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=4096";
}

namespace anycuda {
namespace {

using namespace test;

const auto kMemory = reinterpret_cast<v11::cudaExternalMemory_t>(0xe1);
const auto kSemaphore = reinterpret_cast<v11::cudaExternalSemaphore_t>(0xe2);
const auto kStream = reinterpret_cast<v11::cudaStream_t>(0xe3);

class External : public ::testing::Test {
 protected:
  void SetUp() override { reset(); }
};

// A description that a fake runtime was given.
template <typename T>
struct Given {
  static inline T desc;
  static inline bool none;
  static inline Status status;
  static void take(const T* from) {
    none = from == nullptr;
    if (from != nullptr) desc = *from;
  }
};

// Calls `adapter` with a description between guards, with none, and with a runtime that fails.
template <typename Old, typename New, typename Handle, typename Call>
void one_way(const Old& desc, Handle handle, Call call) {
  Given<New>::status = 0;
  Guarded<Handle> result;
  Guarded<Old> given;
  *given = desc;
  ASSERT_EQ(call(result.get(), given.get()), 0U);
  EXPECT_TRUE(result.intact() && given.intact());
  EXPECT_EQ(*result, handle);
  EXPECT_FALSE(Given<New>::none);
  ASSERT_EQ(call(result.get(), static_cast<const Old*>(nullptr)), 0U);
  EXPECT_TRUE(Given<New>::none);
  Given<New>::status = 304;
  Guarded<Handle> untouched;
  EXPECT_EQ(call(untouched.get(), given.get()), 304U);
  EXPECT_TRUE(untouched.intact() && untouched.untouched());
}

template <typename New>
Status import_memory(v11::cudaExternalMemory_t* memory, const New* desc) {
  Given<New>::take(desc);
  if (Given<New>::status == 0) *memory = kMemory;
  return Given<New>::status;
}

template <typename Old, typename New, typename Adapter>
void imports_memory(Adapter adapter) {
  fake("cudaImportExternalMemory", import_memory<New>);
  Old desc = {};
  desc.type = v11::cudaExternalMemoryHandleTypeOpaqueWin32;
  desc.handle.win32.handle = reinterpret_cast<void*>(0x11);
  desc.handle.win32.name = reinterpret_cast<void*>(0x12);
  desc.size = ~0ULL;
  desc.flags = 0x80000001;
  one_way<Old, New>(desc, kMemory, adapter);
  const New& given = Given<New>::desc;
  EXPECT_EQ(given.type, v11::cudaExternalMemoryHandleTypeOpaqueWin32);
  EXPECT_EQ(given.handle.win32.handle, reinterpret_cast<void*>(0x11));
  EXPECT_EQ(given.handle.win32.name, reinterpret_cast<void*>(0x12));
  EXPECT_EQ(given.size, ~0ULL);
  EXPECT_EQ(given.flags, 0x80000001U);
}

TEST_F(External, MemoryIsImported) {
  using Old = v11::cudaExternalMemoryHandleDesc;
  using New = v13::cudaExternalMemoryHandleDesc;
  imports_memory<Old, New>(adapt_copy_11_13_cudaImportExternalMemory);
  imports_memory<Old, New>(adapt_copy_12_13_cudaImportExternalMemory);
  imports_memory<New, Old>(adapt_copy_13_11_cudaImportExternalMemory);
  imports_memory<New, Old>(adapt_copy_13_12_cudaImportExternalMemory);
}

TEST_F(External, AFileDescriptorIsKept) {
  fake("cudaImportExternalMemory", import_memory<v13::cudaExternalMemoryHandleDesc>);
  Given<v13::cudaExternalMemoryHandleDesc>::status = 0;
  v12::cudaExternalMemoryHandleDesc desc = {};
  desc.type = v12::cudaExternalMemoryHandleTypeOpaqueFd;
  desc.handle.fd = -3;
  v12::cudaExternalMemory_t memory = nullptr;
  ASSERT_EQ(adapt_copy_12_13_cudaImportExternalMemory(&memory, &desc), 0U);
  EXPECT_EQ(Given<v13::cudaExternalMemoryHandleDesc>::desc.handle.fd, -3);
  for (const unsigned word : Given<v13::cudaExternalMemoryHandleDesc>::desc.reserved) {
    EXPECT_EQ(word, 0U);
  }
}

template <typename New>
Status import_semaphore(v11::cudaExternalSemaphore_t* semaphore, const New* desc) {
  Given<New>::take(desc);
  if (Given<New>::status == 0) *semaphore = kSemaphore;
  return Given<New>::status;
}

template <typename Old, typename New, typename Adapter>
void imports_semaphores(Adapter adapter) {
  fake("cudaImportExternalSemaphore", import_semaphore<New>);
  Old desc = {};
  desc.type = v11::cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32;
  desc.handle.win32.handle = reinterpret_cast<void*>(0x21);
  desc.handle.win32.name = reinterpret_cast<void*>(0x22);
  desc.flags = 0x80000002;
  one_way<Old, New>(desc, kSemaphore, adapter);
  const New& given = Given<New>::desc;
  EXPECT_EQ(given.type, v11::cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32);
  EXPECT_EQ(given.handle.win32.handle, reinterpret_cast<void*>(0x21));
  EXPECT_EQ(given.handle.win32.name, reinterpret_cast<void*>(0x22));
  EXPECT_EQ(given.flags, 0x80000002U);
}

TEST_F(External, SemaphoresAreImported) {
  using Old = v11::cudaExternalSemaphoreHandleDesc;
  using New = v13::cudaExternalSemaphoreHandleDesc;
  imports_semaphores<Old, New>(adapt_copy_11_13_cudaImportExternalSemaphore);
  imports_semaphores<Old, New>(adapt_copy_12_13_cudaImportExternalSemaphore);
  imports_semaphores<New, Old>(adapt_copy_13_11_cudaImportExternalSemaphore);
  imports_semaphores<New, Old>(adapt_copy_13_12_cudaImportExternalSemaphore);
}

void* const kMapped = reinterpret_cast<void*>(0xb0);
template <typename New>
Status map_buffer(void** pointer, v11::cudaExternalMemory_t memory, const New* desc) {
  EXPECT_EQ(memory, kMemory);
  Given<New>::take(desc);
  if (Given<New>::status == 0) *pointer = kMapped;
  return Given<New>::status;
}

template <typename Old, typename New, typename Adapter>
void maps_buffers(Adapter adapter) {
  fake("cudaExternalMemoryGetMappedBuffer", map_buffer<New>);
  Old desc = {};
  desc.offset = 1ULL << 40;
  desc.size = 3ULL << 40;
  desc.flags = 0x80000003;
  one_way<Old, New>(desc, kMapped, [adapter](void** pointer, const Old* given) {
    return adapter(pointer, kMemory, given);
  });
  const New& given = Given<New>::desc;
  EXPECT_EQ(given.offset, 1ULL << 40);
  EXPECT_EQ(given.size, 3ULL << 40);
  EXPECT_EQ(given.flags, 0x80000003U);
}

TEST_F(External, BuffersAreMapped) {
  using Old = v11::cudaExternalMemoryBufferDesc;
  using New = v13::cudaExternalMemoryBufferDesc;
  maps_buffers<Old, New>(adapt_copy_11_13_cudaExternalMemoryGetMappedBuffer);
  maps_buffers<Old, New>(adapt_copy_12_13_cudaExternalMemoryGetMappedBuffer);
  maps_buffers<New, Old>(adapt_copy_13_11_cudaExternalMemoryGetMappedBuffer);
  maps_buffers<New, Old>(adapt_copy_13_12_cudaExternalMemoryGetMappedBuffer);
}

const auto kLevels = reinterpret_cast<v11::cudaMipmappedArray_t>(0xb1);
template <typename New>
Status map_levels(v11::cudaMipmappedArray_t* levels, v11::cudaExternalMemory_t memory,
                  const New* desc) {
  EXPECT_EQ(memory, kMemory);
  Given<New>::take(desc);
  if (Given<New>::status == 0) *levels = kLevels;
  return Given<New>::status;
}

template <typename Old, typename New, typename Adapter>
void maps_levels(Adapter adapter) {
  fake("cudaExternalMemoryGetMappedMipmappedArray", map_levels<New>);
  Old desc = {};
  desc.offset = 1ULL << 41;
  desc.formatDesc = {1, 2, 3, 4, v11::cudaChannelFormatKindUnsigned};
  desc.extent = {5, 6, 7};
  desc.flags = 0x80000004;
  desc.numLevels = 8;
  one_way<Old, New>(desc, kLevels, [adapter](v11::cudaMipmappedArray_t* levels, const Old* given) {
    return adapter(levels, kMemory, given);
  });
  const New& given = Given<New>::desc;
  EXPECT_EQ(given.offset, 1ULL << 41);
  EXPECT_EQ(given.formatDesc.x, 1);
  EXPECT_EQ(given.formatDesc.w, 4);
  EXPECT_EQ(given.formatDesc.f, v11::cudaChannelFormatKindUnsigned);
  EXPECT_EQ(given.extent.width, 5U);
  EXPECT_EQ(given.extent.depth, 7U);
  EXPECT_EQ(given.flags, 0x80000004U);
  EXPECT_EQ(given.numLevels, 8U);
}

TEST_F(External, MipmappedArraysAreMapped) {
  using Old = v11::cudaExternalMemoryMipmappedArrayDesc;
  using New = v13::cudaExternalMemoryMipmappedArrayDesc;
  maps_levels<Old, New>(adapt_copy_11_13_cudaExternalMemoryGetMappedMipmappedArray);
  maps_levels<Old, New>(adapt_copy_12_13_cudaExternalMemoryGetMappedMipmappedArray);
  maps_levels<New, Old>(adapt_copy_13_11_cudaExternalMemoryGetMappedMipmappedArray);
  maps_levels<New, Old>(adapt_copy_13_12_cudaExternalMemoryGetMappedMipmappedArray);
}

// Signalling and waiting: what the runtime of 13 was given.
template <typename Params>
struct Queue {
  static inline std::vector<Params> params;
  static inline const v13::cudaExternalSemaphore_t* semaphores;
  static inline unsigned count;
  static inline int calls;
  static inline bool per_thread;
  static inline Status status;
  static void clear() {
    params.clear();
    semaphores = nullptr;
    count = calls = 0;
    per_thread = false;
    status = 0;
  }
  template <bool ptsz>
  static Status take(const v13::cudaExternalSemaphore_t* from, const Params* given, unsigned number,
                     v13::cudaStream_t stream) {
    EXPECT_EQ(stream, kStream);
    ++calls;
    params.assign(given, given + (number < 100000 ? number : 0));
    semaphores = from;
    count = number;
    per_thread = ptsz;
    return status;
  }
};
using Signalled = Queue<v13::cudaExternalSemaphoreSignalParams>;
using Waited = Queue<v13::cudaExternalSemaphoreWaitParams>;

class Semaphores : public External {
 protected:
  void SetUp() override {
    External::SetUp();
    Signalled::clear();
    Waited::clear();
    fake("cudaSignalExternalSemaphoresAsync", Signalled::take<false>);
    fake("cudaSignalExternalSemaphoresAsync_ptsz", Signalled::take<true>);
    fake("cudaWaitExternalSemaphoresAsync", Waited::take<false>);
    fake("cudaWaitExternalSemaphoresAsync_ptsz", Waited::take<true>);
  }
  // On the heap and exactly so many: AddressSanitizer reports a read past the last.
  template <typename Params>
  static std::vector<Params> numbered(unsigned count) {
    std::vector<Params> all(count);
    for (unsigned i = 0; i < count; ++i) {
      all[i].params.fence.value = (1ULL << 40) + i;
      all[i].params.nvSciSync.fence = reinterpret_cast<void*>(std::size_t{0x1000} + i);
      all[i].params.keyedMutex.key = (1ULL << 50) + i;
      all[i].flags = 0x80000000 + i;
    }
    return all;
  }
  template <typename Params>
  static void expect_numbered(const std::vector<Params>& all, unsigned count) {
    ASSERT_EQ(all.size(), count);
    for (unsigned i = 0; i < count; ++i) {
      EXPECT_EQ(all[i].params.fence.value, (1ULL << 40) + i);
      EXPECT_EQ(all[i].params.nvSciSync.fence, reinterpret_cast<void*>(std::size_t{0x1000} + i));
      EXPECT_EQ(all[i].params.keyedMutex.key, (1ULL << 50) + i);
      EXPECT_EQ(all[i].flags, 0x80000000 + i);
      for (const unsigned word : all[i].params.reserved) EXPECT_EQ(word, 0U);
      for (const unsigned word : all[i].reserved) EXPECT_EQ(word, 0U);
    }
  }
  const v12::cudaExternalSemaphore_t semaphores[1] = {kSemaphore};
};

TEST_F(Semaphores, AreSignalledAndWaitedForInAnyNumber) {
  for (const unsigned count : {0U, 1U, 7U, 8U, 9U, 1000U}) {
    auto signals = numbered<v12::cudaExternalSemaphoreSignalParams_v1>(count);
    signals.reserve(1);  // no elements, but not no array
    ASSERT_EQ(adapt_signal_external_semaphores(semaphores, signals.data(), count, kStream), 0U);
    EXPECT_EQ(Signalled::semaphores, semaphores);
    EXPECT_EQ(Signalled::count, count);
    EXPECT_FALSE(Signalled::per_thread);
    expect_numbered(Signalled::params, count);

    auto waits = numbered<v12::cudaExternalSemaphoreWaitParams_v1>(count);
    waits.reserve(1);
    for (auto& wait : waits) wait.params.keyedMutex.timeoutMs = 0xfffffffe;
    ASSERT_EQ(adapt_wait_external_semaphores(semaphores, waits.data(), count, kStream), 0U);
    EXPECT_EQ(Waited::semaphores, semaphores);
    EXPECT_FALSE(Waited::per_thread);
    expect_numbered(Waited::params, count);
    for (const auto& wait : Waited::params) {
      EXPECT_EQ(wait.params.keyedMutex.timeoutMs, 0xfffffffeU);
    }
  }
}

TEST_F(Semaphores, HavePerThreadForms) {
  const auto signals = numbered<v12::cudaExternalSemaphoreSignalParams_v1>(2);
  ASSERT_EQ(adapt_signal_external_semaphores_ptsz(semaphores, signals.data(), 2, kStream), 0U);
  EXPECT_TRUE(Signalled::per_thread);
  expect_numbered(Signalled::params, 2);
  const auto waits = numbered<v12::cudaExternalSemaphoreWaitParams_v1>(2);
  ASSERT_EQ(adapt_wait_external_semaphores_ptsz(semaphores, waits.data(), 2, kStream), 0U);
  EXPECT_TRUE(Waited::per_thread);
  expect_numbered(Waited::params, 2);
}

TEST_F(Semaphores, NullParameters_AreInvalidForEveryNumber) {
  for (const unsigned count : {0U, 1U, 100U}) {
    EXPECT_EQ(adapt_signal_external_semaphores(semaphores, nullptr, count, kStream), 1U);
    EXPECT_EQ(adapt_wait_external_semaphores(semaphores, nullptr, count, kStream), 1U);
    EXPECT_EQ(remembered(), 1U);
  }
  EXPECT_EQ(Signalled::calls + Waited::calls, 0);
}

TEST_F(Semaphores, TheRuntimesErrorIsTheCallers) {
  Signalled::status = Waited::status = 400;
  const auto signals = numbered<v12::cudaExternalSemaphoreSignalParams_v1>(9);
  EXPECT_EQ(adapt_signal_external_semaphores(nullptr, signals.data(), 9, kStream), 400U);
  EXPECT_EQ(Signalled::semaphores, nullptr);
  const auto waits = numbered<v12::cudaExternalSemaphoreWaitParams_v1>(1);
  EXPECT_EQ(adapt_wait_external_semaphores(nullptr, waits.data(), 1, kStream), 400U);
  EXPECT_EQ(remembered(), 0U) << "the runtime remembers its own";
}

TEST_F(Semaphores, WithoutTheRuntimesFunctionTheCallIsAbsent) {
  reset();
  const auto signals = numbered<v12::cudaExternalSemaphoreSignalParams_v1>(1);
  EXPECT_EQ(adapt_signal_external_semaphores(semaphores, signals.data(), 1, kStream), 302U);
  EXPECT_EQ(refused().size(), 1U);
}

TEST_F(Semaphores, TooManyForTheMemoryAreAnAllocationError) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends the program when memory is exhausted";
#endif
  const unsigned count = ~0U;  // 618 GB of parameters
  const auto signals = numbered<v12::cudaExternalSemaphoreSignalParams_v1>(1);
  EXPECT_EQ(adapt_signal_external_semaphores(semaphores, signals.data(), count, kStream), 2U);
  EXPECT_EQ(remembered(), 2U);
  const auto waits = numbered<v12::cudaExternalSemaphoreWaitParams_v1>(1);
  EXPECT_EQ(adapt_wait_external_semaphores(semaphores, waits.data(), count, kStream), 2U);
  EXPECT_EQ(Signalled::calls + Waited::calls, 0);
}

}  // namespace
}  // namespace anycuda
