// SPDX-License-Identifier: Apache-2.0

// The owners of an executable graph's updated nodes, and when they can be released.
//
// A launch uses the parameters that the nodes have when it is made, and runs after all earlier
// launches of the same executable graph (CUDA Driver API, cuGraphLaunch and
// cuGraphExecKernelNodeSetParams). So the owners that an update replaces are released
// - at once, if no launch was made since they were set;
// - else when the event recorded behind the last launch before the update is complete;
// - not before the executable graph's end, if launches outside this library may use them: by the
//   raw handle, or by a graph into which a launch was captured.
//
// The same events tell when an executable graph with host nodes can be destroyed (running_execs.h).
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <unordered_map>

#include "graph/attachment.h"
#include "graph/exec/running_execs.h"

namespace anycuda::graph {

class ExecOwners {
 public:
  // Who holds this list beside the Exec: a user object of the executable graph, or nobody, in an
  // executable graph that was adopted.
  enum class Holder : bool { nobody, executable_graph };
  explicit ExecOwners(Holder holder = Holder::executable_graph) : holder_(holder) {}
  bool can_hold() const noexcept { return holder_ == Holder::executable_graph; }

  // Before a driver call that sets owners for `node` (nullptr: an unknown node): makes every step
  // that can fail. Throws std::bad_alloc.
  void reserve(CUgraphNode node);
  // After the call, if it failed.
  void cancel(CUgraphNode node) noexcept;
  // After the call, if it succeeded: `added` become the owners of the node; former owners that are
  // no longer in use by any launch are moved to `retired`.
  void put(CUgraphNode node, OwnerList* added, OwnerList* retired) noexcept;

  // Called before and after a launch on the stream. Throws std::bad_alloc. On an error the launch
  // must not be made: nothing would tell when it has ended.
  CUresult before_launch(CUstream stream);
  void after_launch(CUstream stream, OwnerList* retired) noexcept;

  // From now on each launch() records an event. Throws std::bad_alloc.
  void watch_launches();
  // This list takes the place of the former one; what that knows of the launches goes on here.
  void follow(ExecOwners* former) noexcept;
  // If the launches are watched, and the last one is not known to have ended: the object that
  // destroys the executable graph later. Else nullptr.
  std::unique_ptr<RunningExec> running() noexcept;

  // From now on the program has the handle and may launch without this library. Any thread.
  void give_handle() noexcept { handle_given_.store(true, std::memory_order_relaxed); }
  bool handle_given() const noexcept { return handle_given_.load(std::memory_order_relaxed); }

 private:
  struct Current {
    OwnerList owners;
    unsigned long long since = 0;  // launches before they were set
  };
  // The owners that updates between two launches have replaced.
  struct Replaced {
    Replaced(unsigned long long after, LaunchEnd last) : launches(after), end(std::move(last)) {}
    unsigned long long launches;
    LaunchEnd end;  // of the last of these, or of a later launch; without an event not yet known
    OwnerList owners;
  };

  void keep_to_the_end() noexcept;
  void take_ended(OwnerList* retired) noexcept;

  const Holder holder_;
  std::unordered_map<CUgraphNode, Current> current_;
  std::deque<Replaced> replaced_;  // by age
  OwnerList others_;               // until the executable graph's end
  unsigned long long launches_ = 0;
  LaunchEnd last_;  // of the last launch, where last_is_known_
  LaunchEnd next_;  // to be recorded behind the next one, where next_is_ready_
  std::unique_ptr<RunningExec> launch_watch_;  // where launches are watched
  bool last_is_known_ = false;
  bool next_is_ready_ = false;
  bool captured_ = false;
  std::atomic<bool> handle_given_{false};
};

}  // namespace anycuda::graph
