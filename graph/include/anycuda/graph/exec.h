// Executable graphs, whose nodes can get new parameters with new owners.
//
// The driver lets nobody attach owners to an executable graph. So each carries one list of its own,
// as a user object that it inherits while it is instantiated: owners of updated nodes are in it,
// and live, with all that came from the graph, at most until the executable graph is destroyed or
// wholly updated and its last launch has ended (measured on driver 580).
//
// When a later set_* of the same node replaces owners in the list, they are released before that:
// - within that call, where launch() was not called since they were set;
// - else within the first set_*, launch(), update() or destroy() of this object after the launches
//   made before the replacement have ended. An event recorded behind each launch() tells; it is
//   made once an updated node has owners.
// Two things keep the owners that nodes have at that time, or get later, until update() or
// destroy(): get() and set_with_owners(), since their handle can be launched without this object;
// and launch() on a stream that is being captured (only what nodes have at that time). update()
// does not take the handle back. What came with the graph itself, and what set_with_owners() is
// given, stays until update() or destroy() in any case.
//
// Errors and threads are as in graph.h. On a driver without user objects an executable graph is
// made all the same; giving it owners is CUDA_ERROR_NOT_SUPPORTED.
#pragma once

#include <functional>

#include "anycuda/graph/graph.h"

namespace anycuda::graph {

class ExecOwners;

// What was in the way of a whole update: the driver's CUgraphExecUpdateResult by name.
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
// The enumerator's name, as "topology_changed"; "unknown" for one of a newer driver.
const char* name_of(UpdateResult result) noexcept;

// Move-only. As in CUDA: one thread at a time for one Exec; a launch may be running meanwhile.
class Exec {
 public:
  Exec() = default;
  ~Exec();
  Exec(Exec&& other) noexcept;
  Exec& operator=(Exec&& other) noexcept;
  // `flags` as for cuGraphInstantiateWithFlags.
  // Drivers of CUDA 11.4 or later.
  static CUresult instantiate(const GraphView& graph, Exec* out, unsigned long long flags = 0);
  explicit operator bool() const { return exec_ != nullptr; }  // hands no handle out
  CUgraphExec get() const;  // the owners of updated nodes stay from now on, see above
  // Asynchronous, as in CUDA: owners stay until the launch has ended, whatever becomes of this.
  CUresult launch(CUstream stream) const;
  CUresult upload(CUstream stream) const;
  CUresult destroy();  // of none: success

  // The whole from another graph of the same shape (cuGraphExecUpdate): the owners of `graph` take
  // the place of all owners so far, which a launch that is running still has. On an error all is as
  // before. `node`, `result` (may be nullptr): what the driver says was in the way (the number of
  // an UpdateResult, whose name is in last_error()). A raw cuGraphExecUpdate of get() works, too,
  // but then owners of nodes that are updated singly are only held as long as this object is.
  CUresult update(const GraphView& graph, CUgraphNode* node = nullptr, int* result = nullptr);

  // One node, named as in the graph that was instantiated, which must still be there (CUDA Driver
  // API, cuGraphExecKernelNodeSetParams). A launch that is running still uses the old parameters,
  // and their owners stay as long; see above. A failed call adds and releases none.
  CUresult set_kernel(CUgraphNode node, const KernelNode& parameters);
  CUresult set_memcpy(CUgraphNode node, const MemcpyNode& parameters);
  CUresult set_memset(CUgraphNode node, const MemsetNode& parameters);
  CUresult set_host(CUgraphNode node, const HostNode& parameters);
  CUresult set_event_record(CUgraphNode node, const EventNode& parameters);
  CUresult set_event_wait(CUgraphNode node, const EventNode& parameters);
  // The graph in a child node, from another of the same shape; the owners that this library knows
  // of it come with it.
  CUresult set_child(CUgraphNode node, const GraphView& child);
  // Any other call for a single node. Exceptions as for add_with_owners. `set` makes the driver
  // call, and must not change this object. The owners stay until update() or destroy().
  CUresult set_with_owners(const Owners& owners, const std::function<CUresult(CUgraphExec)>& set);

  // Kernel, memcpy and memset nodes can be left out of launches. Attaches nothing. CUDA 11.6 or
  // later.
  CUresult set_enabled(CUgraphNode node, bool enabled);
  CUresult enabled(CUgraphNode node, bool* out) const;

 private:
  CUgraphExec exec_ = nullptr;
  // Shared with a user object of the executable graph. So it is there when a raw call has updated
  // that, too.
  std::shared_ptr<ExecOwners> kept_;
};

}  // namespace anycuda::graph
