// SPDX-License-Identifier: Apache-2.0

// The helpers for each kind of node: operands, owners, new parameters.
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Nodes : public OnFakeDriver {
 protected:
  static Buffer buffer(std::size_t bytes = 256) {
    Buffer made;
    EXPECT_EQ(Buffer::allocate(bytes, &made), kOk) << last_error();
    return made;
  }
  static Kernel kernel() {
    Kernel made;
    EXPECT_EQ(Kernel::load("image", "name", &made), kOk) << last_error();
    return made;
  }
  static Event event() {
    Event made;
    EXPECT_EQ(Event::create(0, &made), kOk) << last_error();
    return made;
  }
  // Both typed operands and raw ones are refused with these words.
  template <typename Node, typename Add>
  static void refused(const Node& node, const Add& add, const char* operand, const char* words) {
    Graph one = graph();
    CUgraphNode made = nullptr;
    EXPECT_EQ(add(one, {}, node, &made), CUDA_ERROR_INVALID_VALUE) << words;
    EXPECT_THAT(last_error(), AllOf(HasSubstr(operand), HasSubstr(words)));
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(driver().live().nodes, 0U);
    EXPECT_EQ(driver().live().user_objects, 0U);
  }
};

void use(void* data) { ++*static_cast<int*>(data); }
CUarray array() { return reinterpret_cast<CUarray>(0x500); }

TEST_F(Nodes, AKernelKeepsItsModuleAndItsArguments) {
  Watched arguments;
  Graph one = graph();
  KernelNode node;
  node.kernel = kernel();
  node.argument_owner = arguments.take();
  ASSERT_EQ(add_kernel(one, {}, node, nullptr), kOk) << last_error();
  node = KernelNode();
  settle();
  EXPECT_EQ(driver().live().modules, 1U);
  EXPECT_TRUE(arguments.alive());
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(arguments.alive());
  EXPECT_EQ(driver().live().modules, 0U);
}

TEST_F(Nodes, TheAllocationIsTheOwnerNotItsWrapper) {
  Graph one = graph();
  MemcpyNode copy;
  copy.destination.buffer = buffer();
  copy.source.buffer = buffer();
  copy.width = 256;
  ASSERT_EQ(add_memcpy(one, {}, copy, nullptr), kOk) << last_error();
  MemsetNode set;
  set.destination.buffer = buffer();
  set.width = 64;
  set.element_bytes = 4;
  ASSERT_EQ(add_memset(one, {}, set, nullptr), kOk) << last_error();
  copy.destination.buffer.close();
  copy.source.buffer.close();
  set.destination.buffer.close();
  settle();
  EXPECT_EQ(driver().live().memory, 3U);
  EXPECT_EQ(one.destroy(), kOk);
  settle();
  EXPECT_EQ(driver().live().memory, 0U);
}

TEST_F(Nodes, EventsAreKept) {
  Graph one = graph();
  EventNode node;
  node.event = event();
  ASSERT_EQ(add_event_record(one, {}, node, nullptr), kOk) << last_error();
  node.event = event();
  CUgraphNode wait = nullptr;
  ASSERT_EQ(add_event_wait(one, {}, node, &wait), kOk) << last_error();
  node.event = event();
  ASSERT_EQ(set_event_wait(one, wait, node), kOk) << last_error();
  node.event = Event();
  settle();
  EXPECT_EQ(driver().live().events, 2U) << "the one that was replaced is gone";
}

TEST_F(Nodes, RawOperandsHaveAnOwnerOrNone) {
  Watched owners[7];
  Graph one = graph();
  KernelNode kernel_node;
  kernel_node.function = reinterpret_cast<CUfunction>(0x100);
  kernel_node.code_owner = owners[0].take();
  ASSERT_EQ(add_kernel(one, {}, kernel_node, nullptr), kOk);
  kernel_node.code_owner = nullptr;
  ASSERT_EQ(add_kernel(one, {}, kernel_node, nullptr), kOk);
  MemcpyNode copy;
  copy.width = 8;
  copy.destination.array = array();
  copy.destination.owner = owners[1].take();
  copy.source.host = owners;
  copy.source.owner = owners[2].take();
  ASSERT_EQ(add_memcpy(one, {}, copy, nullptr), kOk);
  MemsetNode set;
  set.destination.address = 0x1000;
  set.destination.owner = owners[3].take();
  ASSERT_EQ(add_memset(one, {}, set, nullptr), kOk);
  HostNode host;
  host.function = do_nothing;
  host.function_owner = owners[4].take();
  host.data = owners;
  host.data_owner = owners[5].take();
  ASSERT_EQ(add_host(one, {}, host, nullptr), kOk);
  EventNode event_node;
  event_node.raw = reinterpret_cast<CUevent>(0x200);
  event_node.owner = owners[6].take();
  ASSERT_EQ(add_event_record(one, {}, event_node, nullptr), kOk);
  EXPECT_EQ(driver().live().user_objects, 5U) << "a node without owners has none";
  kernel_node = KernelNode();
  copy = MemcpyNode();
  set = MemsetNode();
  host = HostNode();
  event_node = EventNode();
  for (const Watched& owner : owners) EXPECT_TRUE(owner.alive());
  EXPECT_EQ(one.destroy(), kOk);
  for (const Watched& owner : owners) EXPECT_FALSE(owner.alive());
}

TEST_F(Nodes, BothWaysForOneOperandAreRefusedByName) {
  const OpaqueHandle owner = std::make_shared<int>(1);
  KernelNode kernel_node;
  refused(kernel_node, add_kernel, "kernel", "neither");
  kernel_node.kernel = kernel();
  kernel_node.function = kernel_node.kernel.function();
  refused(kernel_node, add_kernel, "kernel", "both a Kernel and a raw function");
  kernel_node.function = nullptr;
  kernel_node.code_owner = owner;
  refused(kernel_node, add_kernel, "kernel", "an owner");

  EventNode event_node;
  refused(event_node, add_event_record, "event", "neither");
  event_node.event = event();
  event_node.raw = event_node.event.event();
  refused(event_node, add_event_wait, "event", "both an Event and a raw event");
  event_node.raw = nullptr;
  event_node.owner = owner;
  refused(event_node, add_event_record, "event", "an owner");

  HostNode host;
  refused(host, add_host, "host function", "neither");
  host.call = [] {};
  host.function = do_nothing;
  refused(host, add_host, "host function", "both a callable and a raw function");
  host.function = nullptr;
  host.function_owner = owner;
  refused(host, add_host, "host function", "an owner");
  host.function_owner = nullptr;
  host.data_owner = owner;
  refused(host, add_host, "host data", "both a callable");
  host = HostNode();
  host.function = do_nothing;
  host.data = &host;
  host.data_owner = owner;
  host.copy_data = true;
  refused(host, add_host, "host data", "both copy_data and an owner");
  host.data_owner = nullptr;
  host.data = nullptr;
  host.data_size = 4;
  refused(host, add_host, "host data", "4 bytes are to be copied from null");
}

TEST_F(Nodes, BothWaysForMemoryAreRefusedByName) {
  const auto both = [](MemoryOperand* operand) {
    operand->buffer = buffer();
    operand->address = operand->buffer.address();
  };
  MemcpyNode copy;
  copy.width = 4;
  copy.source.address = 0x1000;
  refused(copy, add_memcpy, "memcpy destination", "neither");
  both(&copy.destination);
  refused(copy, add_memcpy, "memcpy destination", "both a Buffer and a raw address");
  std::swap(copy.destination, copy.source);
  refused(copy, add_memcpy, "memcpy source", "both a Buffer and a raw address");
  copy.source.address = 0;
  copy.source.owner = std::make_shared<int>(1);
  refused(copy, add_memcpy, "memcpy source", "an owner");
  copy.source = MemoryOperand();
  copy.source.host = &copy;
  copy.source.array = array();
  refused(copy, add_memcpy, "memcpy source", "more than one");

  MemsetNode set;
  refused(set, add_memset, "memset destination", "neither");
  both(&set.destination);
  refused(set, add_memset, "memset destination", "both a Buffer and a raw address");
  set.destination = MemoryOperand();
  set.destination.host = &set;
  refused(set, add_memset, "memset destination", "not device memory");
  set.destination.host = nullptr;
  set.destination.address = 0x1000;
  set.element_bytes = 3;
  refused(set, add_memset, "memset", "1, 2 or 4 bytes, not 3");
}

TEST_F(Nodes, RangePastABufferIsRefused) {
  MemcpyNode copy;
  copy.destination.buffer = buffer(256);
  copy.source.address = 0x1000;
  copy.width = 64;
  copy.rows = 4;
  {
    Graph one = graph();
    EXPECT_EQ(add_memcpy(one, {}, copy, nullptr), kOk) << last_error();
  }
  settle();
  copy.destination.pitch = 65;
  refused(copy, add_memcpy, "memcpy destination", "more than the Buffer's 256 bytes");
  copy.destination.pitch = 0;
  copy.destination.offset = 1;
  refused(copy, add_memcpy, "memcpy destination", "from byte 1 on");
  copy.destination.offset = 0;
  copy.layers = 2;
  refused(copy, add_memcpy, "memcpy destination", "2 layers");
  copy.layers = SIZE_MAX;
  refused(copy, add_memcpy, "memcpy destination", "more than");
  MemsetNode set;
  set.destination.buffer = buffer(256);
  set.element_bytes = 4;
  set.width = 65;
  refused(set, add_memset, "memset destination", "260 bytes");
  set.width = SIZE_MAX;
  refused(set, add_memset, "memset", "too many");
}

TEST_F(Nodes, RawMemory_InvalidRangeIsRefused) {
  int host = 0;
  const auto in = [&](auto MemoryOperand::*way, auto value) {
    MemcpyNode copy;
    copy.source.address = 0x10000;
    copy.destination.*way = value;
    return copy;
  };
  for (MemcpyNode copy : {in(&MemoryOperand::address, 0x20000ULL), in(&MemoryOperand::host, &host),
                          in(&MemoryOperand::array, array()),
                          in(&MemoryOperand::buffer, Buffer::wrap(0x20000, 0, nullptr))}) {
    for (const std::size_t width : {SIZE_MAX, SIZE_MAX - 4095, std::size_t{1} << 58}) {
      copy.width = width;
      refused(copy, add_memcpy, "memcpy destination", "more than any memory has");
    }
    copy.width = 16;
    copy.rows = SIZE_MAX;
    refused(copy, add_memcpy, "memcpy destination", "more than any memory has");
    copy.rows = 1;
    copy.destination.offset = SIZE_MAX - 8;
    refused(copy, add_memcpy, "memcpy destination", "more than any memory has");
  }
  MemcpyNode copy = in(&MemoryOperand::address, ~0ULL - 4);
  copy.width = 4;
  std::swap(copy.source, copy.destination);
  Graph one = graph();
  EXPECT_EQ(add_memcpy(one, {}, copy, nullptr), kOk) << last_error();
  EXPECT_EQ(one.destroy(), kOk);
  copy.width = 6;
  refused(copy, add_memcpy, "memcpy source", "more than any memory has");

  MemsetNode set;
  set.destination.address = 0x1000;
  set.width = SIZE_MAX;
  refused(set, add_memset, "memset destination", "more than any memory has");
}

TEST_F(Nodes, RowsAndLayersThatOverlapAreRefused) {
  MemcpyNode copy;
  copy.source.address = 0x10000;
  copy.destination.address = 0x20000;
  copy.width = 16;
  copy.destination.pitch = 15;
  const auto accepted = [&] {
    Graph one = graph();
    EXPECT_EQ(add_memcpy(one, {}, copy, nullptr), kOk) << last_error();
  };
  accepted();  // the pitch is not used for a single row
  copy.rows = 2;
  refused(copy, add_memcpy, "memcpy destination",
          "a pitch of 15 bytes is less than the 16 bytes of a row");
  copy.rows = 1;
  copy.layers = 2;
  refused(copy, add_memcpy, "memcpy destination", "a pitch of 15 bytes");
  copy.destination.pitch = 16;
  accepted();
  copy.rows = 4;
  copy.source.height = 3;
  refused(copy, add_memcpy, "memcpy source", "a height of 3 rows is less than the 4 rows");
  copy.source.height = 4;
  accepted();
  copy.destination = MemoryOperand();
  copy.destination.array = array();
  copy.destination.pitch = 1;
  accepted();  // an array has its own

  MemsetNode set;
  set.destination.address = 0x1000;
  set.element_bytes = 4;
  set.width = 4;
  set.rows = 2;
  set.destination.pitch = 12;
  refused(set, add_memset, "memset destination", "a pitch of 12 bytes is less than the 16 bytes");
  set.destination.pitch = 18;
  refused(set, add_memset, "memset destination", "not a multiple of the element's 4 bytes");
  set.destination.pitch = 20;
  Graph one = graph();
  EXPECT_EQ(add_memset(one, {}, set, nullptr), kOk) << last_error();
}

TEST_F(Nodes, AccessBeginsAtARowOfALayer) {
  Graph one = graph();
  MemcpyNode copy;
  copy.width = 16;
  copy.rows = 2;
  copy.destination.buffer = buffer(1024);
  copy.destination.pitch = 32;
  copy.destination.height = 8;
  copy.destination.offset = 4;
  copy.destination.row = 3;
  copy.destination.layer = 2;
  copy.source.array = array();
  copy.source.offset = 8;
  copy.source.row = 5;
  copy.source.layer = 6;
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_memcpy(one, {}, copy, &made), kOk) << last_error();
  api::CUDA_MEMCPY3D_st got{};
  ASSERT_EQ(api::cuGraphMemcpyNodeGetParams(made, &got), 0U);
  EXPECT_EQ(got.dstDevice, copy.destination.buffer.address() + 4 + (2 * 8 + 3) * 32);
  EXPECT_EQ(got.dstY, 0U);
  EXPECT_EQ(got.dstZ, 0U);
  EXPECT_EQ(got.srcXInBytes, 8U);
  EXPECT_EQ(got.srcY, 5U);
  EXPECT_EQ(got.srcZ, 6U);
  std::swap(copy.source, copy.destination);
  ASSERT_EQ(set_memcpy(one, made, copy), kOk) << last_error();
  ASSERT_EQ(api::cuGraphMemcpyNodeGetParams(made, &got), 0U);
  EXPECT_EQ(got.dstY, 5U);
  EXPECT_EQ(got.dstZ, 6U);
  MemcpyNode read;
  ASSERT_EQ(get_memcpy(one, made, &read), kOk);
  EXPECT_EQ(read.destination.row, 5U);
  EXPECT_EQ(read.destination.layer, 6U);

  MemsetNode fill;
  fill.destination.buffer = buffer(64);
  fill.width = 16;
  fill.destination.row = 3;
  const CUgraphNode filled = one.add(fill);  // the last 16 bytes
  MemsetNode set;
  ASSERT_EQ(get_memset(one, filled, &set), kOk);
  EXPECT_EQ(set.destination.address, fill.destination.buffer.address() + 48);
  one = Graph();
  copy = MemcpyNode();
  fill.destination.row = 4;
  refused(fill, add_memset, "memset destination", "more than the Buffer's 64 bytes");
  fill.destination.row = 0;
  fill.destination.layer = SIZE_MAX;
  refused(fill, add_memset, "memset destination", "more than the Buffer's 64 bytes");
  fill.destination.row = SIZE_MAX;
  refused(fill, add_memset, "memset destination", "more than the Buffer's 64 bytes");
}

TEST_F(Nodes, AMemsetsValueFitsItsElements) {
  struct Case {
    unsigned bytes, widest;
    const char* words;
  };
  for (const Case& one : {Case{1, 0xff, "0x100 is wider than an element of 1 byte"},
                          Case{2, 0xffff, "0x10000 is wider than an element of 2 bytes"},
                          Case{4, 0xffffffff, nullptr}}) {
    MemsetNode set;
    set.destination.address = 0x1000;
    set.width = 4;
    set.element_bytes = one.bytes;
    set.value = one.widest;
    {
      Graph to = graph();
      EXPECT_EQ(add_memset(to, {}, set, nullptr), kOk) << last_error();
    }
    if (one.words == nullptr) continue;
    ++set.value;
    refused(set, add_memset, "memset", one.words);
    set.value = one.widest;
    set.destination.offset = 1;
    if (one.bytes == 1) continue;
    refused(set, add_memset, "memset destination", "0x1001 is not a multiple");
  }
}

TEST_F(Nodes, AnEmptyGridOrBlockIsRefused) {
  for (unsigned side = 0; side < 3; ++side) {
    KernelNode node;
    node.kernel = kernel();
    node.grid[side] = 0;
    refused(node, add_kernel, "kernel grid", "every side must be at least 1");
    node.grid[side] = 1;
    node.block[side] = 0;
    refused(node, add_kernel, "kernel block", "every side must be at least 1");
  }
}

TEST_F(Nodes, AKernelThatTakesArgumentsGetsSome) {
  KernelNode node;
  ASSERT_EQ(Kernel::load("image", "takes_8", &node.kernel), kOk);
  refused(node, add_kernel, "kernel arguments", "the kernel takes one or more");
  std::uint64_t value = 0;
  void* arguments[] = {&value};
  node.arguments = arguments;
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_kernel(one, {}, node, &made), kOk) << last_error();
  node.arguments = nullptr;
  EXPECT_EQ(set_kernel(one, made, node), CUDA_ERROR_INVALID_VALUE);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  EXPECT_EQ(exec.set_kernel(made, node), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("the kernel takes one or more"));
}

TEST_F(Nodes, BuffersOfArgumentsAreKept) {
  Watched owner;
  KernelNode node;
  node.kernel = kernel();
  node.argument_owner = owner.take();
  node.argument_buffers = {buffer(), buffer(), Buffer::wrap(0x1000, 4, nullptr)};
  Graph one = graph();
  ASSERT_EQ(add_kernel(one, {}, node, nullptr), kOk) << last_error();
  node = KernelNode();
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(driver().live().memory, 2U);
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
  EXPECT_EQ(driver().live().memory, 0U);

  node.kernel = kernel();
  node.argument_buffers = {buffer(), buffer()};
  node.argument_buffers[1].close();
  refused(node, add_kernel, "kernel arguments", "the Buffer at 1 of argument_buffers is empty");
}

TEST_F(Nodes, KnownModuleOfARawFunctionIsKept) {
  Kernel loaded = kernel();
  KernelNode node;
  node.function = loaded.function();
  Graph one = graph();
  ASSERT_EQ(add_kernel(one, {}, node, nullptr), kOk) << last_error();
  node.function = nullptr;
  node.kernel = Kernel::wrap(loaded.function(), nullptr);
  ASSERT_EQ(add_kernel(one, {}, node, nullptr), kOk) << last_error();
  node = KernelNode();
  loaded = Kernel();
  settle();
  EXPECT_EQ(driver().live().modules, 1U);
  EXPECT_EQ(one.destroy(), kOk);
  settle();
  EXPECT_EQ(driver().live().modules, 0U);
  // The library does not keep a module that another loader has loaded, nor one that is unloaded.
  CUmod_st* module = nullptr;
  ASSERT_EQ(api::cuModuleLoadData(&module, "image"), 0U);
  ASSERT_EQ(api::cuModuleGetFunction(&node.function, module, "name"), 0U);
  one = graph();
  ASSERT_EQ(add_kernel(one, {}, node, nullptr), kOk) << last_error();
  EXPECT_EQ(driver().live().user_objects, 0U);
  EXPECT_EQ(api::cuModuleUnload(module), 0U);
}

TEST_F(Nodes, HostDataIsCopiedOnRequest) {
  std::array<int, 3> data{4, 5, 6};
  static std::vector<int> seen;
  seen.clear();
  HostNode host;
  host.function = [](void* got) {
    const auto* const values = static_cast<const int*>(got);
    seen.assign(values, values + 3);
  };
  host.data = data.data();
  host.copy_data = true;
  host.data_size = sizeof(data);
  Graph one = graph();
  ASSERT_EQ(add_host(one, {}, host, nullptr), kOk);
  data.fill(0);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  EXPECT_EQ(one.destroy(), kOk);
  EXPECT_EQ(exec.launch(nullptr), kOk);
  EXPECT_THAT(seen, testing::ElementsAre(4, 5, 6));
}

TEST_F(Nodes, HostDataOfNoLengthIsCopiedToo) {
  static void* seen;
  seen = nullptr;
  HostNode host;
  host.function = [](void* got) { seen = got; };
  host.data = &seen;
  host.copy_data = true;
  for (const void* data : {static_cast<const void*>(&seen), static_cast<const void*>(nullptr)}) {
    host.data = data;
    Graph one = graph();
    ASSERT_EQ(add_host(one, {}, host, nullptr), kOk);
    EXPECT_EQ(driver().live().user_objects, 1U);
    Exec exec;
    ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
    EXPECT_EQ(exec.launch(nullptr), kOk);
    EXPECT_NE(seen, nullptr);
    EXPECT_NE(seen, data);
  }
}

TEST_F(Nodes, ACallersPointerIsPassedOn) {
  int value = 0;
  HostNode host;
  host.function = use;
  host.data = &value;
  Graph one = graph();
  ASSERT_EQ(add_host(one, {}, host, nullptr), kOk);
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  EXPECT_EQ(exec.launch(nullptr), kOk);
  EXPECT_EQ(value, 1);
}

TEST_F(Nodes, ACallableIsKeptAndItsExceptionsEndInIt) {
  Watched captured;
  auto calls = std::make_shared<int>(0);
  HostNode host;
  host.call = [calls, owner = captured.take()] {
    ++*calls;
    throw 1;
  };
  Graph one = graph();
  ASSERT_EQ(add_host(one, {}, host, nullptr), kOk);
  host = HostNode();
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  EXPECT_EQ(one.destroy(), kOk);
  const std::size_t before = lost_exceptions();
  EXPECT_EQ(exec.launch(nullptr), kOk);
  EXPECT_EQ(*calls, 1);
  EXPECT_EQ(lost_exceptions(), before + 1);
  EXPECT_TRUE(captured.alive());
  EXPECT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(captured.alive());
}

TEST_F(Nodes, TheTextOfALostExceptionIsKept) {
  const std::size_t before = lost_exceptions();
  const auto lose = [](const std::function<void()>& call) {
    HostNode host;
    host.call = call;
    Graph one = graph();
    EXPECT_EQ(add_host(one, {}, host, nullptr), kOk);
    Exec exec;
    EXPECT_EQ(Exec::instantiate(one, &exec), kOk);
    EXPECT_EQ(exec.launch(nullptr), kOk);
  };
  lose([] { throw std::runtime_error("the first"); });
  lose([] { throw 7; });
  lose([] { throw std::runtime_error(std::string(1000, 'x')); });
  ASSERT_EQ(lost_exceptions(), before + 3);
  EXPECT_STREQ(lost_exception(before), "the first");
  EXPECT_STREQ(lost_exception(before + 1), "an exception that is not a std::exception");
  EXPECT_EQ(std::string(lost_exception(before + 2)), std::string(255, 'x'));
  EXPECT_STREQ(lost_exception(before + 3), "") << "the number is not reached yet";
  EXPECT_STREQ(lost_exception(SIZE_MAX), "");
  for (int more = 0; more < 13; ++more)
    lose([=] { throw std::runtime_error(std::to_string(more)); });
  EXPECT_STREQ(lost_exception(before), "the first");
  lose([] { throw std::bad_alloc(); });
  EXPECT_STREQ(lost_exception(before), "") << "only the newest 16 are kept";
  EXPECT_STREQ(lost_exception(before + 15), "12");
}

TEST_F(Nodes, NewParametersKeepTheCallersSlots) {
  Watched own;
  Watched first;
  Watched second;
  HostNode host;
  host.function = do_nothing;
  host.data_owner = first.take();
  Graph one = graph();
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_host(one, {}, host, &made), kOk);
  ASSERT_EQ(graph_set_owner(one, made, OwnerRole::more, own.take()), kOk);
  host.data_owner = second.take();
  ASSERT_EQ(set_host(one, made, host), kOk) << last_error();
  host = HostNode();
  EXPECT_FALSE(first.alive());
  EXPECT_TRUE(second.alive());
  EXPECT_TRUE(own.alive());
}

TEST_F(Nodes, EveryKindTakesNewParameters) {
  Graph one = graph();
  CUgraphNode made = nullptr;
  KernelNode kernel_node;
  kernel_node.kernel = kernel();
  ASSERT_EQ(add_kernel(one, {}, kernel_node, &made), kOk);
  kernel_node.kernel = kernel();
  EXPECT_EQ(set_kernel(one, made, kernel_node), kOk) << last_error();
  MemcpyNode copy;
  copy.width = 4;
  copy.source.buffer = buffer();
  copy.destination.buffer = buffer();
  ASSERT_EQ(add_memcpy(one, {made}, copy, &made), kOk);
  copy.source.buffer = buffer();
  copy.destination.buffer = buffer();
  EXPECT_EQ(set_memcpy(one, made, copy), kOk) << last_error();
  MemsetNode set;
  set.width = 4;
  set.destination.buffer = buffer();
  ASSERT_EQ(add_memset(one, {made}, set, &made), kOk);
  set.destination.buffer = buffer();
  EXPECT_EQ(set_memset(one, made, set), kOk) << last_error();
  EXPECT_EQ(set_kernel(one, made, kernel_node), CUDA_ERROR_INVALID_VALUE) << "of another kind";
  EXPECT_THAT(last_error(), HasSubstr("cuGraphKernelNodeSetParams: CUDA_ERROR_INVALID_VALUE (1)"));
  kernel_node = KernelNode();
  copy = MemcpyNode();
  set = MemsetNode();
  settle();
  EXPECT_EQ(driver().live().modules, 1U);
  EXPECT_EQ(driver().live().memory, 3U);
  EXPECT_EQ(set_kernel(one, nullptr, KernelNode()), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Nodes, MemoryOfOtherKindsAndDevices) {
  const Graph one = graph();
  MemAllocNode memory;
  memory.bytes = 64;
  memory.device = 1;
  memory.access = {0, 2};
  const CUgraphNode peers = one.allocate({}, &memory);
  MemAllocNode read;
  ASSERT_EQ(get_mem_alloc(one, peers, &read), kOk) << last_error();
  EXPECT_EQ(read.bytes, 64U);
  EXPECT_EQ(read.device, 1);
  EXPECT_EQ(read.address, memory.address);
  EXPECT_EQ(read.kind, MemoryKind::device);
  EXPECT_EQ(read.access, (std::vector<int>{0, 2}));
  for (const MemoryKind kind : {MemoryKind::host, MemoryKind::host_numa, MemoryKind::managed}) {
    MemAllocNode other;
    other.bytes = 8;
    other.device = 1;
    other.kind = kind;
    const CUgraphNode node = one.allocate({}, &other);
    ASSERT_EQ(get_mem_alloc(one, node, &read), kOk) << last_error();
    EXPECT_EQ(read.kind, kind);
    EXPECT_EQ(read.device, kind == MemoryKind::host ? 0 : 1);
    EXPECT_TRUE(read.access.empty());
  }
  memory.kind = static_cast<MemoryKind>(9);
  EXPECT_EQ(add_mem_alloc(one, {}, &memory, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(last_error(),
               "memory allocation: 9 is not a MemoryKind; use device, host, host_numa or managed");
  const CUgraphNode freed = one.free({peers}, 0x7000);
  CUdeviceptr address = 0;
  ASSERT_EQ(get_mem_free(one, freed, &address), kOk) << last_error();
  EXPECT_EQ(address, 0x7000U);
  EXPECT_EQ(get_mem_free(one, peers, &address), CUDA_ERROR_INVALID_VALUE) << "another kind";
  EXPECT_EQ(get_mem_alloc(one, freed, &read), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_mem_alloc(one, peers, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get_mem_free(GraphView(), freed, &address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Nodes, MemoryNodes) {
  Graph one = graph();
  MemAllocNode memory;
  memory.bytes = 1024;
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_mem_alloc(one, {}, &memory, &made), kOk) << last_error();
  EXPECT_NE(memory.address, 0U);
  EXPECT_EQ(add_mem_free(one, {made}, memory.address, nullptr), kOk) << last_error();
  memory.bytes = 0;
  EXPECT_EQ(add_mem_alloc(one, {}, &memory, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add_mem_alloc(one, {}, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add_mem_free(one, {}, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("the address is 0"));
}

TEST_F(Nodes, OperandsThatCannotBeMade) {
  Buffer none;
  EXPECT_EQ(Buffer::allocate(0, &none), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Buffer::allocate(4, nullptr), CUDA_ERROR_INVALID_VALUE);
  Kernel loaded;
  EXPECT_EQ(Kernel::load(nullptr, "name", &loaded), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Kernel::load("image", nullptr, &loaded), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Kernel::load("image", "missing", &loaded), status(500));
  EXPECT_FALSE(loaded);
  EXPECT_EQ(driver().live().modules, 0U);
  ASSERT_EQ(Kernel::load("image", "name", &loaded), kOk);
  Kernel other;
  EXPECT_EQ(loaded.sibling("other", &other), kOk);
  loaded = Kernel();
  EXPECT_EQ(driver().live().modules, 1U) << "the sibling has it";
  EXPECT_EQ(Kernel::wrap(other.function(), nullptr).sibling("other", &loaded),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Nodes, AClosedBufferIsRefusedAsOperandAndAsOwner) {
  Buffer closed = buffer();
  const OpaqueHandle before = closed.allocation();
  closed.close();
  EXPECT_FALSE(closed);
  EXPECT_TRUE(closed.closed());
  EXPECT_FALSE(Buffer().closed());
  Graph one = graph();
  MemsetNode fill;
  fill.destination.buffer = closed;
  fill.width = 1;
  refused(fill, add_memset, "memset destination", "the Buffer was closed");
  MemcpyNode copy;
  copy.destination.address = 0x1000;
  copy.source.buffer = closed;
  copy.source.address = 0x1000;
  refused(copy, add_memcpy, "memcpy source", "the Buffer was closed");
  KernelNode launch;
  launch.kernel = kernel();
  const char words[] = "is the allocation of a Buffer that was closed";
  for (const OpaqueHandle& owner :
       {closed.allocation(), all_of({before, closed.allocation(), nullptr})}) {
    launch.argument_owner = owner;
    refused(launch, add_kernel, "role 1", words);
  }
  CUgraphNode made = nullptr;
  ASSERT_EQ(add_empty(one, {}, &made), kOk);
  EXPECT_EQ(graph_set_owner(one, made, OwnerRole::more, closed.allocation()),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr("role 3"));
  EXPECT_EQ(graph_get_owner(one, made, OwnerRole::more), nullptr);
  launch.argument_owner = before;
  ASSERT_EQ(add_kernel(one, {}, launch, &made), kOk) << last_error();
  Exec exec;
  ASSERT_EQ(Exec::instantiate(one, &exec), kOk);
  launch.argument_owner = closed.allocation();
  EXPECT_EQ(exec.set_kernel(made, launch), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(last_error(), HasSubstr(words));
  EXPECT_EQ(exec.set_with_owners({closed.allocation()}, [](CUgraphExec) { return kOk; }),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(graph_set_owner(one, made, OwnerRole::more, Buffer().allocation()), kOk) << "no owner";
}

TEST_F(Nodes, AnEventKnowsItsFlags) {
  Event made;
  ASSERT_EQ(Event::create(3, &made), kOk);
  EXPECT_EQ(made.flags(), 3U);
  EXPECT_EQ(Event(made).flags(), 3U);
  EXPECT_EQ(Event().flags(), 0U);
  EXPECT_EQ(Event::wrap(made.event(), made.owner()).flags(), 0U);
  EXPECT_EQ(Event::wrap(made.event(), made.owner(), 2).flags(), 2U);
}

}  // namespace
}  // namespace anycuda::graph
