// SPDX-License-Identifier: Apache-2.0

// Launches compute the right results from buffers, kernels, callbacks and events that only the
// graph holds.
#include <algorithm>
#include <cstring>

#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

void launch(Check& check, const Exec& exec) {
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
}

// memset, add, copy to the host, a callback with copied data: everything is dropped before.
void chain() {
  Check check("a chain of all kinds from buffers that only the graph holds");
  auto out = std::make_shared<std::vector<int>>(kCount, -1);
  const std::weak_ptr<std::vector<int>> out_watch = out;
  auto called = std::make_shared<std::atomic<int>>(0);
  Exec exec;
  {
    Graph graph;
    CALL(check, Graph::create(&graph));
    Buffer first = filled(-1);
    Buffer second = filled(-1);
    CUgraphNode last = nullptr;
    MemsetNode zero;
    zero.destination.buffer = first;
    zero.width = kBytes;
    CALL(check, add_memset(graph, {}, zero, &last));
    for (int i = 0; i < 3; ++i) {  // 5, 10, 15: from one buffer into the other and back
      Add add(second.address(), first.address(), 5);
      KernelNode node = add.node(load("add"));
      node.argument_owner = all_of({first.allocation(), second.allocation()});
      CALL(check, add_kernel(graph, {last}, node, &last));
      MemcpyNode back;
      back.destination.buffer = first;
      back.source.buffer = second;
      back.width = kBytes;
      CALL(check, add_memcpy(graph, {last}, back, &last));
    }
    MemcpyNode home;
    home.destination.host = out->data();
    home.destination.owner = out;
    home.source.buffer = second;
    home.width = kBytes;
    CALL(check, add_memcpy(graph, {last}, home, &last));
    Event event;
    CALL(check, Event::create(CU_EVENT_DISABLE_TIMING, &event));
    EventNode at;
    at.event = event;
    CALL(check, add_event_record(graph, {last}, at, &last));
    HostNode tell;
    tell.call = [called] { ++*called; };
    CALL(check, add_host(graph, {last}, tell, &last));
    CALL(check, Exec::instantiate(graph, &exec));
  }
  settle();
  const std::vector<int>* result = out.get();
  out.reset();
  EXPECT(check, !out_watch.expired());
  launch(check, exec);
  EXPECT(check, *result == std::vector<int>(kCount, 15));
  launch(check, exec);
  EQUAL(check, called->load(), 2);
  EQUAL(check, called.use_count(), 2);
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return out_watch.expired() && called.use_count() == 1; }));
}

// A block of 4 x 2 x 2 ints into the middle of an array, and the same block out of it.
void block_of_an_array() {
  Check check("copies into and out of an array, from a row of a layer on");
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  shape.Width = 16;
  shape.Height = 8;
  shape.Depth = 4;
  shape.Format = CU_AD_FORMAT_SIGNED_INT32;
  shape.NumChannels = 1;
  CUarray array = nullptr;
  DRIVER(check, cuArray3DCreate(&array, &shape));
  if (!check) return;
  std::vector<int> zeros(16 * 8 * 4);
  std::vector<int> block(4 * 2 * 2);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<int>(i) + 1;
  std::vector<int> all(zeros.size(), -1);
  std::vector<int> back(block.size(), -1);
  const auto whole = [&](MemoryOperand to, MemoryOperand from) {
    MemcpyNode node{std::move(to), std::move(from), 16 * sizeof(int)};
    node.rows = 8;
    node.layers = 4;
    return node;
  };
  const auto part = [&](MemoryOperand to, MemoryOperand from) {
    MemcpyNode node{std::move(to), std::move(from), 4 * sizeof(int)};
    node.rows = 2;
    node.layers = 2;
    return node;
  };
  const auto host = [](std::vector<int>* memory) {
    MemoryOperand made;
    made.host = memory->data();
    return made;
  };
  MemoryOperand start;
  start.array = array;
  MemoryOperand middle = start;
  middle.offset = 5 * sizeof(int);
  middle.row = 3;
  middle.layer = 1;
  const Graph graph = Graph::create();
  const CUgraphNode cleared = graph.add(whole(start, host(&zeros)));
  const CUgraphNode in = graph.add({cleared}, part(middle, host(&block)));
  const CUgraphNode out = graph.add({in}, part(host(&back), middle));
  graph.add({out}, whole(host(&all), start));
  MemcpyNode read;
  CALL(check, get_memcpy(graph, in, &read));
  EQUAL(check, read.destination.row, 3U);
  EQUAL(check, read.destination.layer, 1U);
  launch(check, Exec::instantiate(graph));
  EXPECT(check, back == block);
  for (std::size_t z = 0; z < 2; ++z) {
    for (std::size_t y = 0; y < 2; ++y) {
      for (std::size_t x = 0; x < 4; ++x) {
        EQUAL(check, all[((z + 1) * 8 + y + 3) * 16 + x + 5], block[(z * 2 + y) * 4 + x]);
      }
    }
  }
  EQUAL(check, std::count(all.begin(), all.end(), 0), 16L * 8 * 4 - 16);
  DRIVER(check, cuArrayDestroy(array));
}

// Rows with gaps, layers: 2D and 3D copies move what they should and nothing else.
void copies_with_pitch() {
  Check check("copies of rows and layers, with pitch and offset");
  constexpr std::size_t kPitch = 64;
  constexpr std::size_t kHeight = 8;
  std::vector<int> from(2 * kHeight * kPitch / sizeof(int));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
  std::vector<int> to(from.size(), -1);
  Buffer middle;
  CALL(check, Buffer::allocate(from.size() * sizeof(int), &middle));
  Graph graph;
  CALL(check, Graph::create(&graph));
  MemcpyNode node;
  node.source.host = from.data();
  node.source.offset = sizeof(int);
  node.source.pitch = kPitch;
  node.source.height = kHeight;
  node.destination.buffer = middle;
  node.destination.offset = sizeof(int);
  node.destination.pitch = kPitch;
  node.destination.height = kHeight;
  node.width = 8 * sizeof(int);
  node.rows = 4;
  node.layers = 2;
  CUgraphNode in = nullptr;
  CUgraphNode out = nullptr;
  CALL(check, add_memcpy(graph, {}, node, &in));
  MemcpyNode back = node;
  back.source = node.destination;
  back.destination = MemoryOperand();
  back.destination.host = to.data();
  back.destination.offset = node.source.offset;
  back.destination.pitch = kPitch;
  back.destination.height = kHeight;
  CALL(check, add_memcpy(graph, {in}, back, &out));
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  if (!check) return;
  launch(check, exec);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t column = i % 16;
    const std::size_t row = i / 16 % 8;
    const bool moved = column >= 1 && column < 9 && row < 4;
    if (to[i] != (moved ? static_cast<int>(i) : -1))
      check.fail("number " + show(i) + ": " + show(to[i]));
  }
}

struct Seen {
  std::atomic<int> calls{0};
  void* data = nullptr;
  char bytes[4] = {};
};
Seen* seen_by_function = nullptr;

void look(void* data) {
  ++seen_by_function->calls;
  seen_by_function->data = data;
  if (data != nullptr) std::memcpy(seen_by_function->bytes, data, 4);
}
void look_at_nothing(void* data) {
  ++seen_by_function->calls;
  seen_by_function->data = data;
}

void copied_data() {
  Check check("host data is copied when asked to, of length zero, too");
  static Seen seen;
  seen_by_function = &seen;
  Exec exec;
  {
    Graph graph;
    CALL(check, Graph::create(&graph));
    std::vector<char> data = {'a', 'b', 'c', 'd'};
    HostNode node;
    node.function = look;
    node.data = data.data();
    node.copy_data = true;
    node.data_size = data.size();
    CUgraphNode made = nullptr;
    CALL(check, add_host(graph, {}, node, &made));
    data.assign(4, 'x');
    CALL(check, Exec::instantiate(graph, &exec));
  }
  settle();
  launch(check, exec);
  EQUAL(check, std::string(seen.bytes, 4), std::string("abcd"));

  Graph graph;
  CALL(check, Graph::create(&graph));
  HostNode node;
  node.function = look_at_nothing;
  node.copy_data = true;
  CUgraphNode made = nullptr;
  CALL(check, add_host(graph, {}, node, &made));
  CALL(check, Exec::instantiate(graph, &exec));
  launch(check, exec);
  EXPECT(check, seen.data != nullptr);
  EQUAL(check, seen.calls.load(), 2);
}

void allocation_nodes() {
  Check check("memory that the graph allocates and frees");
  Graph graph;
  CALL(check, Graph::create(&graph));
  MemAllocNode block;
  block.bytes = kBytes;
  CUgraphNode last = nullptr;
  CALL(check, add_mem_alloc(graph, {}, &block, &last));
  EXPECT(check, block.address != 0);
  MemsetNode fill;
  fill.destination.address = block.address;
  fill.value = 3;
  fill.element_bytes = 4;
  fill.width = kCount;
  CALL(check, add_memset(graph, {last}, fill, &last));
  Buffer result = filled(0);
  Add add(result.address(), block.address, 4);
  KernelNode node = add.node();
  node.argument_owner = result.allocation();
  CALL(check, add_kernel(graph, {last}, node, &last));
  CALL(check, add_mem_free(graph, {last}, block.address, &last));
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, graph.destroy());
  if (!check) return;
  launch(check, exec);
  launch(check, exec);
  EXPECT(check, all_are(result.address(), 7));
}

// The example of the documentation: build, clone, embed, launch all of them.
void clone_and_child() {
  Check check("clone and child compute from the same buffers");
  Buffer in = filled(10);
  Buffer out = filled(0);
  Graph graph;
  CALL(check, Graph::create(&graph));
  Add add(out.address(), out.address(), 1);
  KernelNode node = add.node(load("add"));
  node.argument_owner = all_of({in.allocation(), out.allocation()});
  CUgraphNode made = nullptr;
  CALL(check, add_kernel(graph, {}, node, &made));
  node = KernelNode();
  Graph clone;
  Graph parent;
  CALL(check, graph.clone(&clone));
  CALL(check, Graph::create(&parent));
  CUgraphNode first = nullptr;
  CALL(check, add_child(parent, {}, graph, &first));
  CALL(check, add_child(parent, {first}, clone, &first));
  CALL(check, graph.destroy());
  Exec of_clone;
  Exec of_parent;
  CALL(check, Exec::instantiate(clone, &of_clone));
  CALL(check, Exec::instantiate(parent, &of_parent));
  CALL(check, clone.destroy());
  CALL(check, parent.destroy());
  in.close();
  if (!check) return;
  settle();
  launch(check, of_clone);
  launch(check, of_parent);
  EXPECT(check, all_are(out.address(), 3));
}

}  // namespace

void results() {
  chain();
  block_of_an_array();
  copies_with_pitch();
  copied_data();
  allocation_nodes();
  clone_and_child();
}

}  // namespace gputest
