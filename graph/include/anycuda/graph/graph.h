// SPDX-License-Identifier: Apache-2.0

// CUDA graphs whose nodes keep alive what they refer to.
//
//   anycuda::graph::Graph graph;
//   Graph::create(&graph);
//   add_kernel(graph, {}, kernel_node, &node);      // keeps the kernel and its arguments alive
//   Exec::instantiate(graph, &exec);                // exec.h
//   graph.destroy();                                // exec still holds all that its launches use
//
// Owners are attached as CUDA user objects. The driver passes them on to clones, child graphs and
// executable graphs, and drops them when the last of these graphs is destroyed and its last launch
// has ended (CUDA Programming Guide, "CUDA User Objects"; measured, docs/graph.md). So a graph may
// be cloned and instantiated by raw driver calls, too. But this library can release owners early
// only if the change goes through it:
// - The owners of a node that a raw call destroys stay with the graph, until the graph is destroyed
//   or cloned, or another node gets the same address.
// - Owners that a graph had before this library knew it stay with the graph.
// - A raw cuGraphDestroy, or a raw cuGraphDestroyNode of a child or conditional node, leaves the
//   views of the destroyed graphs valid: do not use them any more. child_graph(),
//   conditional_bodies() and each call that copies the graph detect a destroyed node (see
//   child_graph()).
//
// adding.h has functions that return the new node and throw exceptions, which are shorter to call.
//
// Every function here, unless it says otherwise:
// - Returns a CUresult and throws nothing; CUDA_ERROR_OUT_OF_MEMORY if memory runs out.
// - On an error changes nothing: no node, no owner, no output. last_error() (drain.h) says why.
// - Returns CUDA_ERROR_INVALID_VALUE for a null or invalid graph, a null output, a refused operand,
//   and a node or dependency that is null or does not belong to the graph (another graph's, a child
//   graph's, a removed one): the driver does not get it. Other statuses are passed on from the
//   driver.
// - Knows the nodes that this library has added or found. For an unknown node the driver lists all
//   nodes of the graph, and all of them are known from then on. So do not build a large graph by
//   raw calls and calls of this library in turn: let add_with_owners() make the raw calls. As in
//   CUDA, do not name a node that a raw call has destroyed: a known node is not looked up again,
//   and another node may have its address.
// - Returns CUDA_ERROR_NOT_SUPPORTED if owners are given and the driver has no user objects (older
//   than CUDA 11.3) or no driver is installed, and if the function needs a newer driver: then
//   last_error() names the function and the CUDA release. Without a driver, all else returns the
//   stub's status (CUDA_ERROR_NOT_INITIALIZED).
// - Threads: as in CUDA ("Graph object thread safety"), two threads must not change one graph, with
//   all graphs in its nodes, at the same time. Cloning, embedding and instantiating count as
//   changes. Different graphs are independent. Views may be copied, compared and asked for valid()
//   on any thread.
// - Accepts nullptr as `out` of add_*, if the node is not needed.
// - Releases retired owners first (drain.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "anycuda/graph/adding.h"
#include "anycuda/graph/dependencies.h"
#include "anycuda/graph/edges.h"
#include "anycuda/graph/exception.h"
#include "anycuda/graph/nodes.h"
#include "anycuda/graph/reading.h"

namespace anycuda::graph {

struct GraphState;

// Refers to a graph without owning it: a Graph's, the graph in a child node, a body of a
// conditional node, or one that was made elsewhere. When this library destroys the graph, or the
// node that the graph is in, all views of the graph become invalid: every function refuses them.
// Invalid views can still be compared, and never refer to another graph that gets the same address.
// Two views are equal if one was copied from the other, or if the same Graph, node or Capture gave
// both for the same graph.
class GraphView : public AddsNodes<GraphView>,
                  public ReadsNodes<GraphView>,
                  public ChangesEdges<GraphView> {
 public:
  GraphView() = default;  // null
  // A view of a graph that is made and destroyed without this library. The view stays valid when
  // the graph is destroyed: do not use it any more then. Owners that the graph already has stay
  // until it is destroyed, since this library does not know which nodes they belong to. So borrow
  // once and copy the view: a second borrow() knows nothing of what was added through the first
  // view, and the two views are not equal.
  [[nodiscard]] static CUresult borrow(CUgraph graph, GraphView* out);
  bool valid() const;   // refers to a graph, which this library has not destroyed or released
  CUgraph get() const;  // nullptr if not valid
  bool operator==(const GraphView& other) const { return state_ == other.state_; }
  bool operator!=(const GraphView& other) const { return state_ != other.state_; }
  bool operator<(const GraphView& other) const { return state_ < other.state_; }
  std::size_t hash() const { return std::hash<std::shared_ptr<GraphState>>()(state_); }

 private:
  friend struct GraphState;
  std::shared_ptr<GraphState> state_;
};

// Owns a graph, and destroys it in its destructor. Move-only. Clones and executable graphs made
// from it keep the owners that they need.
class Graph : public AddsNodes<Graph>, public ReadsNodes<Graph>, public ChangesEdges<Graph> {
 public:
  Graph() = default;  // empty
  ~Graph();           // destroy(); a graph that the driver does not destroy is left as it is
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;
  // A graph without nodes. Needs cuInit, but no context (measured).
  [[nodiscard]] static CUresult create(Graph* out);
  [[nodiscard]] static Graph create();  // throws (exception.h)
  // Takes ownership of a graph that was made elsewhere; for its owners see GraphView::borrow.
  // CUDA_ERROR_INVALID_VALUE: a Graph (*out or another) already owns the graph, and both would
  // destroy it.
  [[nodiscard]] static CUresult adopt(CUgraph graph, Graph* out);
  // Hands the CUgraph, with all owners in it, over to the caller; its views become invalid.
  CUgraph release();
  [[nodiscard]] CUresult destroy();  // success for an empty Graph
  // A copy with the same owners (cuGraphClone), whose nodes can be changed independently.
  // cuGraphNodeFindInClone finds its nodes. CUDA_ERROR_NOT_SUPPORTED if the driver cannot clone the
  // graph (driver 580: a graph with conditional nodes).
  [[nodiscard]] CUresult clone(Graph* out) const;
  [[nodiscard]] Graph clone() const;  // throws
  const GraphView& view() const { return view_; }
  operator const GraphView&() const { return view_; }
  CUgraph get() const { return view_.get(); }

 private:
  friend struct GraphState;
  void give_up() noexcept;
  GraphView view_;
};

// Gives a node an owner in one role; its other owners stay as they are. This graph releases the
// role's former owner; clones and executable graphs made before keep it. An empty owner changes
// nothing, and the result is CUDA_SUCCESS. CUDA_ERROR_INVALID_VALUE, also with an empty owner: a
// null or invalid graph, a node that is null or not the graph's, a role that does not exist.
// CUDA_ERROR_NOT_SUPPORTED: no user objects, see above.
[[nodiscard]] CUresult graph_set_owner(const GraphView& graph, CUgraphNode node, OwnerRole role,
                                       OpaqueHandle owner);

// The owner of a node in one role; empty if it has none, for an invalid graph, and for owners that
// came with an adopted or borrowed graph, which this library does not know.
OpaqueHandle graph_get_owner(const GraphView& graph, CUgraphNode node, OwnerRole role);

// Names of 0.1.0.
[[nodiscard, deprecated("use graph_set_owner")]] inline CUresult graph_set_slot(
    const GraphView& graph, CUgraphNode node, OwnerRole role, OpaqueHandle owner) {
  return graph_set_owner(graph, node, role, std::move(owner));
}
[[deprecated("use graph_get_owner")]] inline OpaqueHandle graph_get_slot(const GraphView& graph,
                                                                         CUgraphNode node,
                                                                         OwnerRole role) {
  return graph_get_owner(graph, node, role);
}

// Adds a node of any kind. `add` makes the driver call; it is called once, after every other step
// that can fail. If `add` fails or throws after it has stored a node, the node is destroyed; a node
// that cannot be destroyed (in a capture) keeps its owners. An exception becomes
// CUDA_ERROR_UNKNOWN, std::bad_alloc CUDA_ERROR_OUT_OF_MEMORY. `add` must not give the node owners
// through this library, since `owners` would replace them. The node that it stores must be one of
// this graph; this is not checked.
[[nodiscard]] CUresult add_with_owners(const GraphView& graph, const Owners& owners,
                                       const std::function<CUresult(CUgraph, CUgraphNode*)>& add,
                                       CUgraphNode* out);
// Wraps a driver call, `set`, that changes a node's parameters, and replaces all of the node's
// owners by `owners`. Exceptions as for add_with_owners.
[[nodiscard]] CUresult set_with_owners(const GraphView& graph, CUgraphNode node,
                                       const Owners& owners,
                                       const std::function<CUresult(CUgraphNode)>& set);

// One function for each kind of node; nodes.h has their parameters and errors. Event nodes need a
// driver of CUDA 11.1 or later, memory nodes 11.4.
[[nodiscard]] CUresult add_empty(const GraphView& graph, const Dependencies& after,
                                 CUgraphNode* out);
[[nodiscard]] CUresult add_kernel(const GraphView& graph, const Dependencies& after,
                                  const KernelNode& node, CUgraphNode* out);
[[nodiscard]] CUresult add_memcpy(const GraphView& graph, const Dependencies& after,
                                  const MemcpyNode& node, CUgraphNode* out);
[[nodiscard]] CUresult add_memset(const GraphView& graph, const Dependencies& after,
                                  const MemsetNode& node, CUgraphNode* out);
[[nodiscard]] CUresult add_host(const GraphView& graph, const Dependencies& after,
                                const HostNode& node, CUgraphNode* out);
[[nodiscard]] CUresult add_event_record(const GraphView& graph, const Dependencies& after,
                                        const EventNode& node, CUgraphNode* out);
[[nodiscard]] CUresult add_event_wait(const GraphView& graph, const Dependencies& after,
                                      const EventNode& node, CUgraphNode* out);
[[nodiscard]] CUresult add_mem_alloc(const GraphView& graph, const Dependencies& after,
                                     MemAllocNode* node, CUgraphNode* out);
// CUDA_ERROR_INVALID_VALUE: an address of 0.
[[nodiscard]] CUresult add_mem_free(const GraphView& graph, const Dependencies& after,
                                    CUdeviceptr address, CUgraphNode* out);
// Embeds a copy of `child`, with its owners. `embedded` (may be nullptr) gets a view of the copy,
// valid until the node or the graph is destroyed. CUDA_ERROR_NOT_SUPPORTED if the driver cannot
// embed the graph (driver 580: a graph with conditional nodes).
[[nodiscard]] CUresult add_child(const GraphView& graph, const Dependencies& after,
                                 const GraphView& child, CUgraphNode* out,
                                 GraphView* embedded = nullptr);
// A handle for one conditional node of this graph, in the current context. With `assign_at_launch`,
// each launch sets the handle to `default_value`. Drivers of CUDA 12.3 or later.
[[nodiscard]] CUresult create_conditional(const GraphView& graph, unsigned default_value,
                                          bool assign_at_launch, std::uint64_t* handle);
// The bodies are graphs that the node owns. `bodies` (may be nullptr) gets their views, in the
// order of the values that select them; add nodes through these views. conditional_bodies() gives
// the same views again.
[[nodiscard]] CUresult add_conditional(const GraphView& graph, const Dependencies& after,
                                       const ConditionalNode& node, CUgraphNode* out,
                                       std::vector<GraphView>* bodies);

// Each sets new parameters of a node of that kind, with new owners in the first two roles; `extra`
// and `more` stay. The graph releases the former owners; clones and executable graphs made before
// keep them. The context of a copy or memset cannot be changed, and is ignored.
[[nodiscard]] CUresult set_kernel(const GraphView& graph, CUgraphNode node,
                                  const KernelNode& parameters);
[[nodiscard]] CUresult set_memcpy(const GraphView& graph, CUgraphNode node,
                                  const MemcpyNode& parameters);
[[nodiscard]] CUresult set_memset(const GraphView& graph, CUgraphNode node,
                                  const MemsetNode& parameters);
[[nodiscard]] CUresult set_host(const GraphView& graph, CUgraphNode node,
                                const HostNode& parameters);
[[nodiscard]] CUresult set_event_record(const GraphView& graph, CUgraphNode node,
                                        const EventNode& parameters);
[[nodiscard]] CUresult set_event_wait(const GraphView& graph, CUgraphNode node,
                                      const EventNode& parameters);

// Puts a copy of another graph, of any shape, into a child node (cuGraphNodeSetParams), with the
// other graph's owners. The graph that the node had is destroyed: its owners are released, and its
// views become invalid. The node's edges and its own owners stay; clones and executable graphs made
// before keep the former child. `embedded` (may be nullptr) gets the view of the copy.
// CUDA_ERROR_INVALID_VALUE: the other graph is in this node, so that the driver would destroy what
// it copies. CUDA_ERROR_NOT_SUPPORTED: a graph with memory nodes (measured with driver 580), or a
// driver before CUDA 12.2.
[[nodiscard]] CUresult set_child(const GraphView& graph, CUgraphNode node, const GraphView& child,
                                 GraphView* embedded = nullptr);

// Looks for memory that raw arguments (KernelNode::arguments) point to, and that the node would not
// keep: a check for tests and debugging, since programs may keep such memory by themselves.
// CUDA_ERROR_INVALID_VALUE if the driver knows an 8-byte word of an argument as an address
// (cuPointerGetAttribute), and it is outside of all argument_buffers; last_error() names the
// argument. CUDA_SUCCESS with an argument_owner, which may keep anything, and with typed arguments.
// Drivers of CUDA 12.4 or later, which know the sizes of arguments (cuFuncGetParamInfo).
[[nodiscard]] CUresult check_argument_owners(const KernelNode& node);

// Destroys a node; this graph releases the node's owners. Destroying a child or conditional node
// also destroys all graphs in it, whose views become invalid. During a capture the driver refuses
// (401 on driver 580), and the node keeps its owners.
[[nodiscard]] CUresult remove_node(const GraphView& graph, CUgraphNode node);

// child_graph(): a view of the graph in a child node, also of a node that came with a clone or was
// added by a raw call. conditional_bodies(): views of the bodies of a conditional node that was
// added through this view. While the node holds the same graphs, each call gives equal views.
//
// Raw calls may have destroyed the node and added another one, with the same addresses of node and
// graphs. A driver of CUDA 13.1 or later numbers graphs and nodes, so this is detected: the former
// views become invalid, and a new child graph gets a new view. An older driver has no such numbers.
// There, if the program has the CUgraph of `graph` (from get(), add_with_owners(), a capture,
// borrow() or adopt(); that of a graph in a node it may always have):
// - child_graph() gives the former view, although the owners known for its nodes may belong to the
//   former graph. So these owners are never released from the graph, even if they are replaced or
//   their node is removed: they stay with the graph until it is destroyed. The same holds for the
//   child graphs of a graph that is cloned, embedded or given to Exec::set_child. Owners that are
//   attached later are released as usual. So call child_graph() once, and keep the view.
// - conditional_bodies() gives the former bodies: another conditional node at the same address is
//   not detected. A node of another kind is.
[[nodiscard]] CUresult child_graph(const GraphView& graph, CUgraphNode node, GraphView* out);
[[nodiscard]] CUresult conditional_bodies(const GraphView& graph, CUgraphNode node,
                                          std::vector<GraphView>* out);

}  // namespace anycuda::graph

template <>
struct std::hash<anycuda::graph::GraphView> {
  std::size_t operator()(const anycuda::graph::GraphView& view) const { return view.hash(); }
};
