// SPDX-License-Identifier: Apache-2.0

// Executable graphs, whose nodes can get new parameters with new owners.
//
// The driver has no function that attaches owners to an executable graph. So each Exec has a list
// of owners, in a user object that the executable graph inherits when it is instantiated. The list
// holds the owners of updated nodes. They live, like the owners that came from the graph, at most
// until the executable graph is destroyed or updated by update(), and its last launch has ended
// (measured on driver 580).
//
// When a later set_* of the same node replaces owners in the list, they are released earlier:
// - within that set_*, if launch() was not called since they were set;
// - else within the first set_* or launch() of this Exec after the launches made before the
//   replacement have ended, or with the list. launch() records an event behind each launch to
//   detect that, from when an updated node has owners.
// Two things keep owners in the list until update() or destroy():
// - get() and set_with_owners() keep those that nodes have at that time and those that they get
//   later, since the handle can be launched without this Exec. update() does not take the handle
//   back.
// - launch() on a stream that is being captured keeps those that nodes have at that time.
// Owners that came with the graph, and those given to set_with_owners(), always stay until update()
// or destroy().
//
// Errors and threads are as in graph.h. A driver without user objects can instantiate a graph, too;
// giving the Exec owners is then CUDA_ERROR_NOT_SUPPORTED.
#pragma once

#include <functional>

#include "anycuda/graph/graph.h"

namespace anycuda::graph {

class ExecOwners;

// Why update() failed: the values of the driver's CUgraphExecUpdateResult.
enum class UpdateResult : int {
  success = 0,
  error = 1,
  topology_changed = 2,
  node_type_changed = 3,
  function_changed = 4,
  parameters_changed = 5,
  not_supported = 6,
  unsupported_function_change = 7,
  attributes_changed = 8
};
// The enumerator's name, such as "topology_changed"; "unknown" for a value of a newer driver.
const char* name_of(UpdateResult result) noexcept;

// Why instantiate() failed: the values of the driver's CUgraphInstantiateResult.
enum class InstantiateResult : int {
  success = 0,
  error = 1,
  invalid_structure = 2,
  node_operation_not_supported = 3,
  multiple_contexts_not_supported = 4,
  conditional_handle_unused = 5
};
const char* name_of(InstantiateResult result) noexcept;  // as for UpdateResult

struct InstantiateOptions {
  unsigned long long flags = 0;  // as for cuGraphInstantiateWithFlags
  // Uploads the executable graph on this stream (cuGraphUpload) as part of the instantiation.
  // Drivers of CUDA 12.0 or later. nullptr: no upload; the flag 2 alone (CUDA_GRAPH_
  // INSTANTIATE_FLAG_UPLOAD) uploads on the legacy default stream.
  CUstream upload_stream = nullptr;
};

// An executable graph. Move-only. As in CUDA, only one thread at a time may use an Exec; a launch
// may be running meanwhile.
class Exec {
 public:
  Exec() = default;
  ~Exec();
  Exec(Exec&& other) noexcept;
  Exec& operator=(Exec&& other) noexcept;
  // `flags` as for cuGraphInstantiateWithFlags. Drivers of CUDA 11.4 or later.
  [[nodiscard]] static CUresult instantiate(const GraphView& graph, Exec* out,
                                            unsigned long long flags = 0);
  // `node` and `result` (either may be nullptr) get the node and the reason that a driver of CUDA
  // 12.0 or later reports if it fails; `result` is an InstantiateResult, whose name is in
  // last_error(). An older driver reports neither.
  [[nodiscard]] static CUresult instantiate(const GraphView& graph, Exec* out,
                                            const InstantiateOptions& options,
                                            CUgraphNode* node = nullptr, int* result = nullptr);
  [[nodiscard]] static Exec instantiate(const GraphView& graph);  // throws (exception.h)
  [[nodiscard]] static Exec instantiate(const GraphView& graph, unsigned long long flags);
  [[nodiscard]] static Exec instantiate(const GraphView& graph, const InstantiateOptions& options);
  // Takes ownership of an executable graph that was made elsewhere, with all owners in it. The
  // driver attaches no owners to an executable graph that exists: set_* with owners is
  // CUDA_ERROR_NOT_SUPPORTED until update(). Each launch() records an event, since the driver does
  // not tell whether the graph has host nodes (see destroy()). Launches that were made elsewhere
  // must have ended before this Exec is destroyed. A program that wants a view calls release() at
  // the end.
  [[nodiscard]] static CUresult adopt(CUgraphExec exec, Exec* out);
  // Hands the CUgraphExec, with all owners in it, over to the caller: launches of it must have
  // ended before the caller destroys it.
  CUgraphExec release();
  explicit operator bool() const { return exec_ != nullptr; }  // does not hand the handle out
  CUgraphExec get() const;  // keeps the owners of updated nodes from now on, see above
  // Asynchronous, as in CUDA. Owners stay until the launch has ended, even if this Exec is
  // destroyed or updated before. With host nodes in the graph it needs an event for destroy(): if
  // the driver creates none, nothing is launched.
  [[nodiscard]] CUresult launch(CUstream stream) const;
  [[nodiscard]] CUresult upload(CUstream stream) const;
  // Success for an empty Exec. Does not wait for launches. If the graph has host nodes and a
  // launch() runs, the executable graph is destroyed later, after that launch has ended: driver 580
  // damages memory if it is destroyed before (measured: docs/graph.md). A later call of this
  // library on this thread destroys it, drain() or another one; once this thread has ended, drain()
  // on any thread. Other threads may use the graph meanwhile, with which driver 580 shares data
  // (measured, too). Until then the driver counts it: a graph with memory nodes has at most one
  // executable graph. The destructor and the move assignment do the same. Before the context of a
  // launch is destroyed, wait for the launch and call drain(). launch() is the only launch that is
  // seen: wait for those by the handle of get().
  [[nodiscard]] CUresult destroy();

  // Updates all nodes from another graph of the same shape (cuGraphExecUpdate). The owners of
  // `graph` replace all former owners, which stay while a launch that uses them runs. On an error
  // nothing changes. `node` and `result` (either may be nullptr) get the node and the reason that
  // the driver reports; `result` is an UpdateResult, whose name is in last_error(). A raw
  // cuGraphExecUpdate of get() works, too, but after it only this Exec holds the owners of nodes
  // that set_* updates.
  [[nodiscard]] CUresult update(const GraphView& graph, CUgraphNode* node = nullptr,
                                int* result = nullptr);

  // Each sets the parameters of one node. `node` is the node of the graph that was instantiated;
  // that graph must still exist (CUDA Driver API, cuGraphExecKernelNodeSetParams). A running launch
  // uses the old parameters, and their owners stay until it has ended; see above. A failed call
  // adds and releases no owners.
  //
  // set_kernel() leaves the launch attributes as they are, since the driver has no function that
  // changes those of an executable graph: an attribute that is given, and that `node` has
  // otherwise, is CUDA_ERROR_NOT_SUPPORTED. So `node` must not be removed if attributes are given.
  [[nodiscard]] CUresult set_kernel(CUgraphNode node, const KernelNode& parameters);
  [[nodiscard]] CUresult set_memcpy(CUgraphNode node, const MemcpyNode& parameters);
  [[nodiscard]] CUresult set_memset(CUgraphNode node, const MemsetNode& parameters);
  [[nodiscard]] CUresult set_host(CUgraphNode node, const HostNode& parameters);
  [[nodiscard]] CUresult set_event_record(CUgraphNode node, const EventNode& parameters);
  [[nodiscard]] CUresult set_event_wait(CUgraphNode node, const EventNode& parameters);
  // Updates the graph in a child node from another of the same shape, with all of its owners that
  // this library knows.
  [[nodiscard]] CUresult set_child(CUgraphNode node, const GraphView& child);
  // Wraps any other driver call for a single node: `set` makes the call, and must not change this
  // Exec. Exceptions as for add_with_owners. The owners stay until update() or destroy().
  [[nodiscard]] CUresult set_with_owners(const Owners& owners,
                                         const std::function<CUresult(CUgraphExec)>& set);

  // Disables or enables a kernel, memcpy or memset node: launches leave out disabled nodes.
  // Attaches no owners. CUDA 11.6 or later.
  [[nodiscard]] CUresult set_enabled(CUgraphNode node, bool enabled);
  [[nodiscard]] CUresult enabled(CUgraphNode node, bool* out) const;

 private:
  CUgraphExec exec_ = nullptr;
  // Shared with a user object of the executable graph. So it also exists after a raw call has
  // updated the executable graph.
  std::shared_ptr<ExecOwners> exec_owners_;
};

}  // namespace anycuda::graph
