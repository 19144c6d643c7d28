// SPDX-License-Identifier: Apache-2.0

// What this library knows about a graph: the attachment of each node, and the graphs in its nodes.
// All views of the graph share it.
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

  // nullptr once the graph is destroyed or released. Atomic, since any thread may call valid().
  std::atomic<CUgraph> graph;
  // Whether the graph is in a node. Then its table holds the memory of the attachments in it, and
  // `id` distinguishes it from other graphs at its address (identity.h); 0 if the driver has no
  // numbers.
  const bool embedded_in_node;
  std::uint64_t id = 0;
  // Whether the program may have the CUgraph, without which it cannot add nodes by raw calls.
  std::atomic<bool> handed_out;
  // All known nodes of the graph: those added through this library, and those found by
  // check_node().
  NodeTable table;
  Embedded embedded;
  // A linked list, without allocations, of all states that a Graph owns: adopt() looks there
  // whether a Graph owns the graph already.
  GraphState* next_owned = nullptr;
  GraphState** owned_from = nullptr;  // the pointer to this state; nullptr: no Graph owns it

  // After the graph was destroyed or released: makes views of it and of all graphs in it invalid.
  void invalidate() noexcept;
  // The same for the graphs in one node.
  void forget_embedded(CUgraphNode node) noexcept;
  // Sets the node's owners (nullptr: no owners), and releases this graph's reference to the former.
  void replace(CUgraphNode node, Attachment* attachment) noexcept;
  // The same, with a mark if it is in doubt that the graph holds `has` (NodeTable::doubt_all).
  void know(CUgraphNode node, NodeTable::Has has) noexcept;
  // After the node was destroyed, with all graphs in it.
  void forget(CUgraphNode node) noexcept;

  // A Graph becomes the owner, or no longer is.
  void become_owned() noexcept;
  void disown() noexcept;
  // Whether a Graph owns the graph at this address.
  static bool is_owned(CUgraph address) noexcept;

  static GraphView view(Pointer state) noexcept;
  static Graph own(Pointer state) noexcept;
  static const Pointer& of(const GraphView& view) noexcept { return view.state_; }

 private:
  void release(NodeTable::Has former) noexcept;
  void clear_table() noexcept;
};

// The state of a valid view. For any other view it records an error and returns nullptr.
GraphState* usable(const GraphView& view, const char* what = "the graph") noexcept;

// CUDA_SUCCESS if the node belongs to the graph. An unknown node is looked up in the driver's list
// of the graph's nodes, all of which are known from then on. Throws std::bad_alloc.
// `has`, if not null, gets the entry that the table had before.
CUresult check_node(GraphState* state, CUgraphNode node, const char* what = "the node",
                    NodeTable::Has* has = nullptr);
CUresult check_nodes(GraphState* state, const Dependencies& after);
// The driver's list of the graph's nodes. Throws std::bad_alloc.
CUresult nodes_of(CUgraph graph, std::vector<CUgraphNode>* out);

// Adds the owners of one node to a graph. Every step that can fail is in prepare().
class OwnerTransaction {
 public:
  explicit OwnerTransaction(GraphState* state) : state_(state) {}

  // Lets the graph hold the owners. The destructor releases them again unless commit() or
  // leave_to_graph() is called.
  CUresult prepare(const Owners& owners);
  // Makes them the owners of the node, in place of its former ones.
  void commit(CUgraphNode node) noexcept;
  // Leaves them with the graph as a whole.
  void leave_to_graph() noexcept { held_.leave_to_graph(); }

 private:
  GraphState* state_;
  Attachment* attachment_ = nullptr;
  ScopedGraphRef held_;
};

// Removes a node that was added but cannot be used. A node that the driver does not remove (in a
// capture, or in a graph with memory nodes) stays, and *node is not changed.
CUresult take_out(CUresult result, CUgraphNode* node) noexcept;

// Adds a node by `call`, which makes the driver call. If the call fails and leaves a node, this
// node keeps its owners.
template <typename Call>
CUresult add_node(const GraphView& view, const Dependencies& after, const Owners& owners,
                  CUgraphNode* out, const Call& call) {
  GraphState* const state = usable(view);
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = check_nodes(state, after);
  if (result != CUDA_SUCCESS) return result;
  OwnerTransaction transaction(state);
  result = transaction.prepare(owners);
  if (result != CUDA_SUCCESS) return result;
  CUgraphNode node = nullptr;
  result = call(state->graph.load(), &node);
  if (node == nullptr) return result;
  // A former node of this address was destroyed without this library.
  state->forget_embedded(node);
  transaction.commit(node);
  if (result == CUDA_SUCCESS && out != nullptr) *out = node;
  return result;
}

// The number of roles that set_* replaces; the other roles are the caller's, and stay.
constexpr unsigned kHelperRoles = 2;

// Replaces a node's parameters by `call`, and the owners in the first `roles` roles.
template <typename Call>
CUresult set_node(const GraphView& view, CUgraphNode node, const Owners& owners, unsigned roles,
                  const Call& call) {
  GraphState* const state = usable(view);
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  NodeTable::Has former;
  CUresult result = check_node(state, node, "the node", &former);
  if (result != CUDA_SUCCESS) return result;
  Owners all = owners;
  if (former.attachment != nullptr) {
    const Owners before = former.attachment->owners();
    for (unsigned role = roles; role < kOwnerRoles; ++role) all[role] = before[role];
  }
  OwnerTransaction transaction(state);
  result = transaction.prepare(all);
  if (result != CUDA_SUCCESS) return result;
  result = call(node);
  if (result == CUDA_SUCCESS) transaction.commit(node);
  return result;
}

}  // namespace anycuda::graph
