// The owners of an executable graph's updated nodes, and from when on no launch can use them.
//
// A launch uses what the nodes had when it was made, and is ordered behind all launches of the same
// executable graph before it (CUDA Driver API, cuGraphLaunch and cuGraphExecKernelNodeSetParams).
// So what an update replaces is released
// - at once, where no launch was made since it was set;
// - else when the event that was recorded behind the last launch before the update is complete;
// - never before the executable graph's end, where a launch may be made that is not seen here: by
//   the raw handle, or from a graph that a launch was captured into.
//
// The same events tell when an executable graph with host nodes can be destroyed.
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
  // The owners that a call for `node` (nullptr: of no known node) is about to set: all that can
  // fail. Throws std::bad_alloc.
  void reserve(CUgraphNode node);
  // The call has failed.
  void cancel(CUgraphNode node) noexcept;
  // The call has succeeded: `added` are the owners of the node, and `over` gets those that no
  // launch can use any more.
  void put(CUgraphNode node, OwnerList* added, OwnerList* over) noexcept;

  // Around a launch on the stream. Throws std::bad_alloc.
  void before_launch(CUstream stream);
  void after_launch(CUstream stream, OwnerList* over) noexcept;

  // From now on an event is recorded behind each launch. Throws std::bad_alloc.
  void watch_launches();
  // The executable graph has this list in place of the former one: what is known of its launches
  // goes on here.
  void follow(ExecOwners* former) noexcept;
  // Where its launches are watched, and the last one runs: what makes its destruction wait. Else
  // nullptr.
  std::unique_ptr<RunningExec> running() noexcept;

  // From now on launches may be made that are not seen. Any thread.
  void give_handle() noexcept { handle_given_.store(true, std::memory_order_relaxed); }
  bool handle_given() const noexcept { return handle_given_.load(std::memory_order_relaxed); }

 private:
  struct Current {
    OwnerList owners;
    unsigned long long since = 0;  // launches before they were set
  };
  // What updates have replaced between two launches.
  struct Replaced {
    Replaced(unsigned long long after, LaunchEnd last) : launches(after), end(std::move(last)) {}
    unsigned long long launches;
    LaunchEnd end;  // of the last of them, or of a later launch; without an event not yet known
    OwnerList owners;
  };

  void keep_to_the_end() noexcept;
  void take_ended(OwnerList* over) noexcept;

  std::unordered_map<CUgraphNode, Current> current_;
  std::deque<Replaced> replaced_;  // by age
  OwnerList others_;               // until the executable graph's end
  unsigned long long launches_ = 0;
  LaunchEnd last_;                     // of the last launch, where last_is_known_
  LaunchEnd next_;                     // to be recorded behind the next one, where next_is_ready_
  std::unique_ptr<RunningExec> room_;  // where launches are watched
  bool last_is_known_ = false;
  bool next_is_ready_ = false;
  bool captured_ = false;
  std::atomic<bool> handle_given_{false};
};

}  // namespace anycuda::graph
