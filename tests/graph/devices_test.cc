// SPDX-License-Identifier: Apache-2.0

// Owners on two devices: each is freed in the context that created it, whichever thread releases
// it.
#include <thread>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

class Devices : public OnFakeDriver {
 protected:
  void SetUp() override {
    OnFakeDriver::SetUp();
    int count = 0;
    ASSERT_EQ(api::cuDeviceGetCount(&count), 0U);
    ASSERT_EQ(count, 2);
    for (int device = 0; device < 2; ++device) {
      ASSERT_EQ(api::cuDevicePrimaryCtxRetain(&contexts_[device], device), 0U);
    }
    ASSERT_NE(contexts_[0], contexts_[1]);
    use(0);
  }
  void TearDown() override {
    use(0);
    driver().finish_launches();
    OnFakeDriver::TearDown();
  }
  void use(int device) { ASSERT_EQ(api::cuCtxSetCurrent(contexts_[device]), 0U); }
  Buffer buffer(int device) {
    use(device);
    Buffer made;
    EXPECT_EQ(Buffer::allocate(256, &made), kOk) << last_error();
    return made;
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    api::cuCtxGetCurrent(&context);
    return context;
  }

  CUcontext contexts_[2] = {};
};

TEST_F(Devices, OneGraphHasOwnersOfBoth) {
  Graph one = graph();
  CUgraphNode last = nullptr;
  {
    MemcpyNode copy;
    copy.source.buffer = buffer(0);
    copy.destination.buffer = buffer(1);
    copy.width = 256;
    copy.context = contexts_[0];
    ASSERT_EQ(add_memcpy(one, {}, copy, &last), kOk) << last_error();
    EXPECT_EQ(driver().context_of(last), contexts_[0]) << "as given, not as current";
    MemsetNode set;
    set.destination.buffer = buffer(1);
    set.width = 256;
    ASSERT_EQ(add_memset(one, {last}, set, &last), kOk) << last_error();
    EXPECT_EQ(driver().context_of(last), contexts_[1]) << "the current one";
    KernelNode kernel;
    ASSERT_EQ(Kernel::load("image", "name", &kernel.kernel), kOk);
    kernel.argument_buffers = {buffer(0), buffer(1)};
    ASSERT_EQ(add_kernel(one, {last}, kernel, &last), kOk) << last_error();
    EventNode event;
    ASSERT_EQ(Event::create(0, &event.event), kOk);
    ASSERT_EQ(add_event_record(one, {last}, event, nullptr), kOk) << last_error();
  }
  use(0);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  EXPECT_EQ(one.destroy(), kOk);
  ASSERT_EQ(exec.launch(nullptr), kOk);
  settle();
  EXPECT_EQ(driver().live().memory, 5U);
  EXPECT_EQ(exec.destroy(), kOk);
  settle();
  EXPECT_EQ(driver().live().memory, 0U);
  EXPECT_EQ(current(), contexts_[0]);
}

TEST_F(Devices, OtherDevicesThreadMayRelease) {
  Graph one = graph();
  for (int device = 0; device < 2; ++device) {
    MemsetNode set;
    set.destination.buffer = buffer(device);
    set.width = 1;
    ASSERT_EQ(add_memset(one, {}, set, nullptr), kOk) << last_error();
  }
  for (int device = 0; device < 2; ++device) {
    Graph clone;
    ASSERT_EQ(one.clone(&clone), kOk);
    one = std::move(clone);
    std::thread([&] {
      use(device);
      settle();
    }).join();
  }
  EXPECT_EQ(driver().live().memory, 2U);
  std::thread([&] {
    use(1);
    EXPECT_EQ(one.destroy(), kOk);
    settle();
    EXPECT_EQ(current(), contexts_[1]);
  }).join();
  EXPECT_EQ(driver().live().memory, 0U);
}

TEST_F(Devices, ThreadWithoutAContextMayRelease) {
  Graph one = graph();
  MemsetNode set;
  set.destination.buffer = buffer(1);
  set.width = 1;
  ASSERT_EQ(add_memset(one, {}, set, nullptr), kOk) << last_error();
  set = MemsetNode();
  std::thread([&] {
    api::cuCtxSetCurrent(nullptr);
    EXPECT_EQ(one.destroy(), kOk);
    settle();
  }).join();
  EXPECT_EQ(driver().live().memory, 0U);
}

// Its own events are made in the context of the stream that it is launched on.
TEST_F(Devices, AnExecutableIsLaunchedOnStreamsOfBoth) {
  CUstream streams[2] = {};
  for (int device = 0; device < 2; ++device) {
    use(device);
    streams[device] = static_cast<CUstream>(driver().new_stream());
  }
  use(0);
  Graph one = graph();
  HostNode host;
  host.function = do_nothing;
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host, &made), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  for (const CUstream stream : {streams[1], streams[0], streams[1]}) {
    Watched owner;
    host.data_owner = owner.take();
    ASSERT_EQ(exec.set_host(made, host), kOk);
    host.data_owner = nullptr;
    driver().hold_launches(true);
    ASSERT_EQ(exec.launch(stream), kOk);
    ASSERT_EQ(exec.set_host(made, host), kOk);
    EXPECT_TRUE(owner.alive());
    driver().finish_launches();
    ASSERT_EQ(exec.set_host(made, host), kOk);
    EXPECT_FALSE(owner.alive());
  }
}

TEST_F(Devices, PeersReadEachOthersMemory) {
  int can = 0;
  ASSERT_EQ(api::cuDeviceCanAccessPeer(&can, 0, 1), 0U);
  ASSERT_EQ(can, 1);
  use(0);
  ASSERT_EQ(api::cuCtxEnablePeerAccess(contexts_[1], 0), 0U);
  Graph one = graph();
  KernelNode kernel;
  ASSERT_EQ(Kernel::load("image", "name", &kernel.kernel), kOk);
  kernel.argument_buffers = {buffer(1)};
  use(0);
  ASSERT_EQ(add_kernel(one, {}, kernel, nullptr), kOk) << last_error();
  kernel = KernelNode();
  Graph parent = graph();
  ASSERT_EQ(add_child(parent, {}, one, nullptr), kOk) << last_error();
  EXPECT_EQ(one.destroy(), kOk);
  settle();
  EXPECT_EQ(driver().live().memory, 1U);
  EXPECT_EQ(driver().live().modules, 1U);
  use(1);
  EXPECT_EQ(parent.destroy(), kOk);
  settle();
  EXPECT_EQ(driver().live().memory, 0U);
  EXPECT_EQ(driver().live().modules, 0U);
}

}  // namespace
}  // namespace anycuda::graph
