// SPDX-License-Identifier: Apache-2.0

// The edges of a graph: read, added and removed, in both forms.
#include <cstring>

#include "graph_forms.h"
#include "kernels.h"
#include "topics.h"

namespace conformance {

namespace {

constexpr std::size_t kNodes = 4;
constexpr std::size_t kEdges = 4;
constexpr std::size_t kRoom = 8;

// a -> b, a -> c, b -> d, c -> d
template <typename Form>
struct Diamond {
  explicit Diamond(Check& check) {
    CALL(check, cudaGraphCreate(&graph, 0));
    for (Node& node : nodes) {
      if (check) CALL(check, cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    }
    if (!check) return;
    const Node from[kEdges] = {nodes[0], nodes[0], nodes[1], nodes[2]};
    const Node to[kEdges] = {nodes[1], nodes[2], nodes[3], nodes[3]};
    const EdgeData data[kEdges] = {};
    check.call(function<Form>("cudaGraphAddDependencies").c_str(),
               Form::add(graph, from, to, data, kEdges));
  }
  Graph graph;
  Node nodes[kNodes] = {};
};

bool is_default(const EdgeData& data) {
  const EdgeData zero = {};
  return std::memcmp(&data, &zero, sizeof data) == 0;
}

template <typename Form>
void get_edges() {
  Check check(std::string("edges.get.") + Form::kTopic);
  Diamond<Form> diamond(check);
  const std::string name = function<Form>("cudaGraphGetEdges");
  Guarded<std::size_t> count;
  if (!check || !check.call(name.c_str(), Form::get_edges(diamond.graph, nullptr, nullptr, nullptr,
                                                          count.get()))) {
    return;
  }
  INTACT(check, count);
  EQUAL(check, *count, kEdges);
  // Just enough room, more, and less.
  for (std::size_t room : {kEdges, kRoom, kEdges / 2}) {
    Guarded<Node[kRoom]> from;
    Guarded<Node[kRoom]> to;
    Guarded<EdgeData[kRoom]> data;
    *count = room;
    if (!check.call(name.c_str(), Form::get_edges(diamond.graph, *from, *to, *data, count.get()))) {
      return;
    }
    INTACT(check, from);
    INTACT(check, to);
    INTACT(check, data);
    const std::string with_room = "room" + std::to_string(room);
    check.value(with_room + "_count", *count);
    std::string edges;
    for (std::size_t i = 0; i < room; ++i) {
      edges += index_of((*from)[i], diamond.nodes) + ">" + index_of((*to)[i], diamond.nodes) + " ";
      if (Form::kHasData && i < kEdges && !is_default((*data)[i])) {
        check.fail("the data of edge " + std::to_string(i) + " is not zero");
      }
    }
    check.value(with_room, edges);
    // What lies past the room given is not the runtime's.
    for (std::size_t i = room; i < kRoom; ++i) {
      const Guarded<Node> fresh;
      EQUAL(check, (*from)[i], *fresh);
    }
  }
}

template <typename Form>
void neighbours() {
  Check check(std::string("edges.neighbours.") + Form::kTopic);
  Diamond<Form> diamond(check);
  if (!check) return;
  const auto print = [&](const char* what, cudaError_t (*ask)(Node, Node*, EdgeData*, std::size_t*),
                         Node node) {
    Guarded<std::size_t> count;
    if (!check.call(what, ask(node, nullptr, nullptr, count.get()))) return;
    EQUAL(check, *count, 2U);
    Guarded<Node[kRoom]> found;
    Guarded<EdgeData[kRoom]> data;
    *count = kRoom;
    if (!check.call(what, ask(node, *found, *data, count.get()))) return;
    INTACT(check, count);
    INTACT(check, found);
    INTACT(check, data);
    std::string nodes;
    for (Node each : *found) nodes += index_of(each, diamond.nodes) + " ";
    check.value(what, nodes);
    check.value(std::string(what) + "_count", *count);
    if (Form::kHasData) EQUAL(check, is_default((*data)[0]) && is_default((*data)[1]), true);
  };
  print(function<Form>("cudaGraphNodeGetDependencies").c_str(), Form::dependencies,
        diamond.nodes[3]);
  print(function<Form>("cudaGraphNodeGetDependentNodes").c_str(), Form::dependents,
        diamond.nodes[0]);
  if (!check) return;
  Guarded<std::size_t> none;
  *none = kRoom;
  Guarded<Node[kRoom]> found;
  Guarded<EdgeData[kRoom]> data;
  check.call(function<Form>("cudaGraphNodeGetDependencies").c_str(),
             Form::dependencies(diamond.nodes[0], *found, *data, none.get()));
  EQUAL(check, *none, 0U);
}

template <typename Form>
void remove() {
  Check check(std::string("edges.remove.") + Form::kTopic);
  Diamond<Form> diamond(check);
  if (!check) return;
  const EdgeData data[2] = {};
  const Node from[2] = {diamond.nodes[0], diamond.nodes[2]};
  const Node to[2] = {diamond.nodes[2], diamond.nodes[3]};
  const std::string name = function<Form>("cudaGraphRemoveDependencies");
  if (!check.call(name.c_str(), Form::remove(diamond.graph, from, to, data, 2))) return;
  std::size_t count = 0;
  check.call(function<Form>("cudaGraphGetEdges").c_str(),
             Form::get_edges(diamond.graph, nullptr, nullptr, nullptr, &count));
  EQUAL(check, count, 2U);
  check.call(name.c_str(), Form::remove(diamond.graph, nullptr, nullptr, nullptr, 0));
}

template <typename Form>
void wrong() {
  Check check(std::string("edges.wrong.") + Form::kTopic);
  Diamond<Form> diamond(check);
  if (!check) return;
  const EdgeData data = {};
  const Node* nodes = diamond.nodes;
  const std::string add = function<Form>("cudaGraphAddDependencies");
  const std::string get = function<Form>("cudaGraphGetEdges");
  check.status("again", add.c_str(), Form::add(diamond.graph, &nodes[0], &nodes[1], &data, 1));
  check.status("null_nodes", add.c_str(), Form::add(diamond.graph, nullptr, nullptr, nullptr, 1));
  check.status("no_nodes", add.c_str(), Form::add(diamond.graph, nullptr, nullptr, nullptr, 0));
  check.status("self", add.c_str(), Form::add(diamond.graph, &nodes[0], &nodes[0], &data, 1));
  check.status("null_count", get.c_str(),
               Form::get_edges(diamond.graph, nullptr, nullptr, nullptr, nullptr));
  Guarded<Node[kRoom]> from;
  Guarded<std::size_t> count;
  *count = kRoom;
  check.status("half_of_the_arrays", get.c_str(),
               Form::get_edges(diamond.graph, *from, nullptr, nullptr, count.get()));
  INTACT(check, from);
}

#if defined(CONFORMANCE_EDGE_DATA)
// An edge that is not the usual one: a kernel that may start before the other ends.
void programmatic() {
  Check check("edges.programmatic");
  Graph graph;
  DeviceArray<int> data(check, kCount);
  CALL(check, cudaGraphCreate(&graph, 0));
  if (!check) return;
  Add one(data.get(), 1);
  const cudaKernelNodeParams params = one.node();
  Node nodes[2] = {};
  for (Node& node : nodes) CALL(check, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  EdgeData edge = {};
  edge.from_port = cudaGraphKernelNodePortProgrammatic;
  edge.type = cudaGraphDependencyTypeProgrammatic;
  if (!check || !check.call(function<WithData>("cudaGraphAddDependencies").c_str(),
                            WithData::add(graph, &nodes[0], &nodes[1], &edge, 1))) {
    return;
  }
  Node from = nullptr;
  Node to = nullptr;
  Guarded<EdgeData> got;
  std::size_t count = 1;
  check.call(function<WithData>("cudaGraphGetEdges").c_str(),
             WithData::get_edges(graph, &from, &to, got.get(), &count));
  INTACT(check, got);
  EQUAL(check, from, nodes[0]);
  EQUAL(check, to, nodes[1]);
  EQUAL(check, std::memcmp(got.get(), &edge, sizeof edge), 0);
  // A caller without room for the edge data must get an error, not half of the answer.
  count = 1;
  check.status("edges_without_data", "cudaGraphGetEdges",
               WithoutData::get_edges(graph, &from, &to, nullptr, &count));
  count = 1;
  check.status("dependencies_without_data", "cudaGraphNodeGetDependencies",
               WithoutData::dependencies(nodes[1], &from, nullptr, &count));
  check.status("remove_without_data", "cudaGraphRemoveDependencies",
               WithoutData::remove(graph, &nodes[0], &nodes[1], nullptr, 1));
  check.status("remove", "cudaGraphRemoveDependencies",
               WithData::remove(graph, &nodes[0], &nodes[1], &edge, 1));
}
#endif

template <typename Form>
void all() {
  get_edges<Form>();
  neighbours<Form>();
  remove<Form>();
}

}  // namespace

void edges() {
  all<WithoutData>();
#if defined(CONFORMANCE_EDGE_DATA)
  all<WithData>();
  programmatic();
#endif
  wrong<WithoutData>();
#if defined(CONFORMANCE_EDGE_DATA)
  wrong<WithData>();
#endif
}

}  // namespace conformance
