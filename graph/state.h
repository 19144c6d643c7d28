// What this library knows about a graph: which attachment is which node's, and which graphs lie in
// its nodes. All views of the graph share it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "anycuda/graph/graph.h"
#include "graph/attachment.h"
#include "graph/error.h"
#include "graph/node_table.h"

namespace anycuda::graph {

struct GraphState {
  using Pointer = std::shared_ptr<GraphState>;
  // The graph in a child node, the bodies of a conditional node.
  using Embedded = std::map<CUgraphNode, std::vector<Pointer>>;

  enum class Place : bool { top, in_node };

  explicit GraphState(CUgraph names, Place place = Place::top)
      : graph(names), embedded_in_node(place == Place::in_node), handed_out(embedded_in_node) {}
  ~GraphState() {
    clear_table();
    disown();
  }
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;

  // nullptr once it is gone. Atomic, since any thread may ask a view whether it is valid.
  std::atomic<CUgraph> graph;
  // Of a graph in a node: what tells it from others at its address (identity.h); 0 where no driver
  // says. Its table holds the memory of the attachments in it.
  const bool embedded_in_node;
  std::uint64_t id = 0;
  // Whether the program may have the CUgraph. Without it, it cannot add nodes by raw calls.
  std::atomic<bool> handed_out;
  // All nodes that are known to be the graph's: those that were added here, those that were found.
  NodeTable table;
  Embedded embedded;
  // All states that a Graph has, linked: so adopt() finds whether one has a graph already, and no
  // memory is needed.
  GraphState* next_owned = nullptr;
  GraphState** owned_from = nullptr;  // what points to this; nullptr: no Graph has it

  // The graph is gone, or no longer ours to know: views of it and of all graphs in it are invalid.
  void invalidate() noexcept;
  // The same for the graphs in one node.
  void forget_embedded(CUgraphNode node) noexcept;
  // The node has new owners, or none (nullptr): its former ones lose this graph's reference.
  void replace(CUgraphNode node, Attachment* attachment) noexcept;
  // The same where the graph may not hold what the node has (NodeTable::doubt_all).
  void know(CUgraphNode node, NodeTable::Has has) noexcept;
  // The node is gone, with all graphs in it.
  void forget(CUgraphNode node) noexcept;

  // A Graph takes it, or no longer has it.
  void become_owned() noexcept;
  void disown() noexcept;
  // Whether a Graph has the graph of this address.
  static bool is_owned(CUgraph address) noexcept;

  static GraphView view(Pointer state) noexcept;
  static Graph own(Pointer state) noexcept;
  static const Pointer& of(const GraphView& view) noexcept { return view.state_; }

 private:
  void release(NodeTable::Has former) noexcept;
  void clear_table() noexcept;
};

// The state of a graph that can be worked with; else an error has been recorded, and the result is
// nullptr.
GraphState* usable(const GraphView& view, const char* what = "the graph") noexcept;

// CUDA_SUCCESS where the node is the graph's. An unknown one is looked for among the nodes that the
// driver lists, and all of those are known from then on. Throws std::bad_alloc.
CUresult check_node(GraphState* state, CUgraphNode node, const char* what = "the node");
CUresult check_nodes(GraphState* state, const Dependencies& after);
// What the driver lists. Throws std::bad_alloc.
CUresult nodes_of(CUgraph graph, std::vector<CUgraphNode>* out);

// The owners of one node on their way into a graph: all that can fail is in prepare().
class Change {
 public:
  explicit Change(GraphState* state) : state_(state) {}

  // Afterwards the graph holds the owners, and will let them go unless commit() or
  // leave_to_graph() is called.
  CUresult prepare(const Owners& owners);
  // They are those of the node, in place of what it had.
  void commit(CUgraphNode node) noexcept;
  // They are the graph's as a whole.
  void leave_to_graph() noexcept { held_.leave_to_graph(); }

 private:
  GraphState* state_;
  Attachment* attachment_ = nullptr;
  HeldByGraph held_;
};

// Adds a node by `call`, which makes the driver call.
template <typename Call>
CUresult add_node(const GraphView& view, const Dependencies& after, const Owners& owners,
                  CUgraphNode* out, const Call& call) {
  GraphState* const state = usable(view);
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = check_nodes(state, after);
  if (result != CUDA_SUCCESS) return result;
  Change change(state);
  result = change.prepare(owners);
  if (result != CUDA_SUCCESS) return result;
  CUgraphNode node = nullptr;
  result = call(state->graph.load(), &node);
  if (result != CUDA_SUCCESS) return result;
  // A former node of this address was destroyed without this library.
  state->forget_embedded(node);
  change.commit(node);
  if (out != nullptr) *out = node;
  return CUDA_SUCCESS;
}

// What set_* of a kind replaces; the other slots are the caller's own, and stay.
constexpr unsigned kHelperSlots = 2;

// Replaces a node's parameters by `call`, and the owners in the first `slots` slots.
template <typename Call>
CUresult set_node(const GraphView& view, CUgraphNode node, const Owners& owners, unsigned slots,
                  const Call& call) {
  GraphState* const state = usable(view);
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = check_node(state, node);
  if (result != CUDA_SUCCESS) return result;
  Owners all = owners;
  const Attachment* const former = state->table.find(node);
  if (former != nullptr) {
    const Owners before = former->owners();
    for (unsigned slot = slots; slot < kSlots; ++slot) all[slot] = before[slot];
  }
  Change change(state);
  result = change.prepare(all);
  if (result != CUDA_SUCCESS) return result;
  result = call(node);
  if (result == CUDA_SUCCESS) change.commit(node);
  return result;
}

}  // namespace anycuda::graph
