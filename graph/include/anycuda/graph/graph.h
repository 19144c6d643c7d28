// CUDA graphs whose nodes keep alive what they refer to.
//
//   anycuda::graph::Graph graph;
//   Graph::create(&graph);
//   add_kernel(graph, {}, kernel_node, &node);      // kernel and arguments live as long as needed
//   Exec::instantiate(graph, &exec);                // exec.h
//   graph.destroy();                                // exec still has all that it runs
//
// Owners travel as CUDA user objects, which the driver carries over to clones, child graphs and
// executable graphs, and drops when the last of them is gone and no launch of it runs any more
// (CUDA Programming Guide, "CUDA User Objects"; measured, docs/graph.md). So a graph may be cloned
// and instantiated by raw driver calls, too. What this library is to *let go* it must have seen:
// - A node that a raw call destroys leaves its owners with the graph, until that is destroyed or
//   cloned, or has a node of the same address.
// - Owners that a graph had before this library saw it stay with it.
// - A raw cuGraphDestroy, or raw cuGraphDestroyNode of a child or conditional node, tells no view:
//   the views of what it destroyed must not be used any more. child_graph(), conditional_bodies()
//   and every copy of the graph find out by themselves (child_graph() says how).
//
// What holds for every function here, unless it says otherwise:
// - It returns a CUresult and throws nothing; where memory runs out, CUDA_ERROR_OUT_OF_MEMORY.
// - On an error nothing has changed: no node, no owner, no output. last_error() (drain.h) says why.
// - CUDA_ERROR_INVALID_VALUE: a null or invalid graph, a null output, an operand that is refused;
//   a node or a dependency that is null or is not the graph's (another graph's, a child graph's,
//   one that was removed): the driver does not get it. Other statuses are the driver's, as they
//   are.
// - Nodes that this library has added or found are known. For an unknown one the driver lists all
//   nodes of the graph, and all of them are known from then on. So a graph of many nodes is not
//   built in turns of a raw call and a call here: add_with_owners() makes the raw call, too. A node
//   that a raw call has destroyed must not be named any more, as in CUDA: a known one is not looked
//   for again, and its address may be another node's.
// - CUDA_ERROR_NOT_SUPPORTED: owners are given, and the driver has no user objects (it is older
//   than CUDA 11.3) or there is no driver; or the function needs a newer driver: the sentence names
//   the function and the CUDA. Without a driver all else gives what its stub gives
//   (CUDA_ERROR_NOT_INITIALIZED).
// - Threads: one graph, with all graphs in its nodes, must not be changed by two threads at once,
//   as in CUDA ("Graph object thread safety"). Cloning, embedding and instantiating count as
//   changing. Different graphs are independent. Views may be copied, compared and asked whether
//   they are valid on any thread.
// - `out` of add_* may be nullptr: who needs no dependency needs no node.
// - It first lets go what is over (drain.h).
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "anycuda/graph/nodes.h"

namespace anycuda::graph {

struct GraphState;

// Names a graph without owning it: a Graph's, the graph in a child node, a body of a conditional
// node, or one that was made elsewhere. When this library destroys the graph, or the node that it
// lies in, all views of it become invalid: every function refuses them. They stay comparable, and
// never name another graph that happens to get the same address: equal are views that were copied
// from each other, or were given for the same graph by the same Graph, node or Capture.
class GraphView {
 public:
  GraphView() = default;  // null
  // A graph that was made, and will be destroyed, without this library. It must not be used through
  // the view after that: nobody tells the view. Owners that it already has stay until it is
  // destroyed: which node they belong to is not known. For the same reason borrow once and copy the
  // view: a second one would know nothing of what was added through the first, and is not equal.
  static CUresult borrow(CUgraph graph, GraphView* out);
  bool valid() const;   // not null, and not gone
  CUgraph get() const;  // nullptr where not valid
  bool operator==(const GraphView& other) const { return state_ == other.state_; }
  bool operator!=(const GraphView& other) const { return state_ != other.state_; }
  bool operator<(const GraphView& other) const { return state_ < other.state_; }
  std::size_t hash() const { return std::hash<std::shared_ptr<GraphState>>()(state_); }

 private:
  friend struct GraphState;
  std::shared_ptr<GraphState> state_;
};

// Owns a graph: destroys it in the end. Move-only. Clones and executables made of it keep what they
// need.
class Graph {
 public:
  Graph() = default;  // none
  ~Graph();           // destroy(); if the driver refuses, the graph is left alone
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;
  // An empty graph. Needs cuInit, and no context (measured).
  static CUresult create(Graph* out);
  // Takes over a graph that was made elsewhere, as GraphView::borrow sees it.
  // CUDA_ERROR_INVALID_VALUE: a Graph (*out or another) owns it already: both would destroy it.
  static CUresult adopt(CUgraph graph, Graph* out);
  // Gives the CUgraph, with all owners in it, to the caller; its views become invalid.
  CUgraph release();
  CUresult destroy();  // of none: success
  // A copy with the same owners (cuGraphClone), whose nodes can be changed independently. Its nodes
  // are named by cuGraphNodeFindInClone. CUDA_ERROR_NOT_SUPPORTED where the driver cannot (a graph
  // with conditional nodes, driver 580).
  CUresult clone(Graph* out) const;
  const GraphView& view() const { return view_; }
  operator const GraphView&() const { return view_; }
  CUgraph get() const { return view_.get(); }

 private:
  friend struct GraphState;
  void give_up() noexcept;
  GraphView view_;
};

// The nodes that a new one waits for: a list in braces, which is copied (and may throw
// std::bad_alloc, before any function of this library is called), or nodes that the caller keeps
// until the call returns.
class Dependencies {
 public:
  Dependencies() = default;
  Dependencies(std::initializer_list<CUgraphNode> nodes) : listed_(nodes), count_(nodes.size()) {}
  Dependencies(const std::vector<CUgraphNode>& nodes)
      : nodes_(nodes.data()), count_(nodes.size()) {}
  Dependencies(const CUgraphNode* nodes, std::size_t count) : nodes_(nodes), count_(count) {}
  const CUgraphNode* nodes() const { return listed_.empty() ? nodes_ : listed_.data(); }
  std::size_t count() const { return count_; }

 private:
  std::vector<CUgraphNode> listed_;
  const CUgraphNode* nodes_ = nullptr;
  std::size_t count_ = 0;
};

// Puts `owner` into a slot of a node, beside what the other slots have; what was in the slot is let
// go by this graph, and stays with the clones and executables made before. An empty owner is
// success and changes nothing. CUDA_ERROR_INVALID_VALUE, also with an empty owner: a null or
// invalid graph, a null node, no such slot. CUDA_ERROR_NOT_SUPPORTED: no user objects, see above.
CUresult graph_set_slot(const GraphView& graph, CUgraphNode node, Slot slot, OpaqueHandle owner);

// What the slot of a node holds as far as this library knows; empty where nothing, also for an
// invalid graph. What came with an adopted or borrowed graph is not known.
OpaqueHandle graph_get_slot(const GraphView& graph, CUgraphNode node, Slot slot);

// Adds a node of any kind: `add` makes the driver call, and is called once, after all else that can
// fail. If it fails or throws after it has given a node, that is destroyed; where it cannot be (a
// capture), it keeps its owners. An exception becomes CUDA_ERROR_UNKNOWN, std::bad_alloc
// CUDA_ERROR_OUT_OF_MEMORY. It must not add owners through this library itself: `owners` would
// replace them. The node that it gives must be one of this graph: it is not looked for.
CUresult add_with_owners(const GraphView& graph, const Owners& owners,
                         const std::function<CUresult(CUgraph, CUgraphNode*)>& add,
                         CUgraphNode* out);
// Replaces a node's parameters by `set`, and all of its owners by `owners`. The same exceptions.
CUresult set_with_owners(const GraphView& graph, CUgraphNode node, const Owners& owners,
                         const std::function<CUresult(CUgraphNode)>& set);

// One of each kind; nodes.h has their parameters and errors. The event nodes need a driver of CUDA
// 11.1, memory nodes 11.4.
CUresult add_empty(const GraphView& graph, const Dependencies& after, CUgraphNode* out);
CUresult add_kernel(const GraphView& graph, const Dependencies& after, const KernelNode& node,
                    CUgraphNode* out);
CUresult add_memcpy(const GraphView& graph, const Dependencies& after, const MemcpyNode& node,
                    CUgraphNode* out);
CUresult add_memset(const GraphView& graph, const Dependencies& after, const MemsetNode& node,
                    CUgraphNode* out);
CUresult add_host(const GraphView& graph, const Dependencies& after, const HostNode& node,
                  CUgraphNode* out);
CUresult add_event_record(const GraphView& graph, const Dependencies& after, const EventNode& node,
                          CUgraphNode* out);
CUresult add_event_wait(const GraphView& graph, const Dependencies& after, const EventNode& node,
                        CUgraphNode* out);
CUresult add_mem_alloc(const GraphView& graph, const Dependencies& after, MemAllocNode* node,
                       CUgraphNode* out);
// CUDA_ERROR_INVALID_VALUE: an address of 0.
CUresult add_mem_free(const GraphView& graph, const Dependencies& after, CUdeviceptr address,
                      CUgraphNode* out);
// A copy of `child` becomes part of the graph, with its owners; `embedded` (may be nullptr) is a
// view of the copy, valid until the node or the graph is destroyed. CUDA_ERROR_NOT_SUPPORTED where
// the driver cannot (a child with conditional nodes, driver 580).
CUresult add_child(const GraphView& graph, const Dependencies& after, const GraphView& child,
                   CUgraphNode* out, GraphView* embedded = nullptr);
// A handle for one conditional node of this graph, in the current context. `default_value` is
// assigned at each launch where `assign_at_launch`. Drivers of CUDA 12.3 or later.
CUresult create_conditional(const GraphView& graph, unsigned default_value, bool assign_at_launch,
                            std::uint64_t* handle);
// The bodies are graphs that the node owns: they are filled through their views, in the order of
// the values that choose them. `bodies` may be nullptr; conditional_bodies() gives them again.
CUresult add_conditional(const GraphView& graph, const Dependencies& after,
                         const ConditionalNode& node, CUgraphNode* out,
                         std::vector<GraphView>* bodies);

// New parameters for a node of the same kind, with new owners in the slots that the helpers use
// (the first two); `extra` and `more` stay. The graph lets the old owners go; clones and
// executables made before keep them. The context of copies and memsets cannot be changed: it is not
// looked at.
CUresult set_kernel(const GraphView& graph, CUgraphNode node, const KernelNode& parameters);
CUresult set_memcpy(const GraphView& graph, CUgraphNode node, const MemcpyNode& parameters);
CUresult set_memset(const GraphView& graph, CUgraphNode node, const MemsetNode& parameters);
CUresult set_host(const GraphView& graph, CUgraphNode node, const HostNode& parameters);
CUresult set_event_record(const GraphView& graph, CUgraphNode node, const EventNode& parameters);
CUresult set_event_wait(const GraphView& graph, CUgraphNode node, const EventNode& parameters);

// Destroys a node, its owners' references in this graph, and with a child or conditional node all
// graphs in it, whose views become invalid. In a capture the driver refuses (401 on driver 580),
// and the owners stay with the node.
CUresult remove_node(const GraphView& graph, CUgraphNode node);

// The graph in a child node, also one that came with a clone or was added by a raw call; or the
// bodies of a conditional node that was added through this view. The view is that of former calls,
// if it is still the same graph.
//
// Raw calls may have destroyed the node and added another that has all of its addresses. A driver
// of CUDA 13.1 or later numbers graphs and nodes: then the former views are invalid, and the new
// graph is known by a new one. An older driver says nothing. Then, if the program has the CUgraph
// of `graph` (by get(), a capture or adopting it; it always has that of a graph in a node),
// - of a child graph the view is the former one, and the owners that it is known to have may not be
//   its own. They are never released from it: what is replaced or removed from now on stays with it
//   until it is destroyed. The same holds for the child graphs of a graph that was cloned, embedded
//   or given to Exec::set_child. Later owners are let go as ever; so ask once and keep the view.
// - of a conditional node the bodies are the former ones: that another conditional node has its
//   address cannot be detected. A node of another kind can.
CUresult child_graph(const GraphView& graph, CUgraphNode node, GraphView* out);
CUresult conditional_bodies(const GraphView& graph, CUgraphNode node, std::vector<GraphView>* out);

}  // namespace anycuda::graph

template <>
struct std::hash<anycuda::graph::GraphView> {
  std::size_t operator()(const anycuda::graph::GraphView& view) const { return view.hash(); }
};
