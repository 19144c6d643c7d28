// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <thread>

#include "model.h"

namespace fake {
namespace {

// Everything is leaked on purpose: threads of the library may run until the process is gone.
struct Faults {
  std::size_t nth = 0;
  std::string function;  // empty: any
  unsigned status = 0;
  bool happened = false;
  std::string where;
  std::map<std::string, std::size_t> calls;
};
Faults& faults() {
  static auto* const all = new Faults;
  return *all;
}

struct Destructors {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::pair<void (*)(void*), void*>> queue;
  bool hold = false;
  bool busy = false;
};
Destructors& destructors() {
  static auto* const all = new Destructors;
  return *all;
}

// The driver's own thread for destructors; each comes a little late.
void run_destructors() {
  Destructors& all = destructors();
  std::unique_lock<std::mutex> locked(all.lock);
  for (;;) {
    all.changed.wait(locked, [&] { return !all.queue.empty() && !all.hold; });
    const auto one = all.queue.front();
    all.queue.pop_front();
    all.busy = true;
    locked.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    one.first(one.second);
    locked.lock();
    all.busy = false;
    all.changed.notify_all();
  }
}

void reset() {
  const std::lock_guard<std::recursive_mutex> locked(world().lock);
  faults() = Faults();
  world().hold_launches = false;
  world().find_in_embedded = true;
  world().capture_two = false;
  world().capture_then_fail = 0;
  world().misuses = 0;
  world().uploaded = nullptr;
  world().wrong_contexts = 0;
  hold_destructors(false);
}

template <typename Handle>
std::size_t count(const std::vector<Handle*>& all) {
  std::size_t alive = 0;
  for (const Handle* one : all) alive += one->alive ? 1 : 0;
  return alive;
}

Live live() {
  World& all = world();
  const std::lock_guard<std::recursive_mutex> locked(all.lock);
  return {count(all.graphs), count(all.nodes),   count(all.execs), count(all.objects),
          all.memory.size(), all.modules.size(), all.events.size()};
}

void fail_function(const char* name, std::size_t nth, unsigned status) {
  const std::lock_guard<std::recursive_mutex> locked(world().lock);
  faults() = {nth, name, status, false, "", {}};
}
void fail_call(std::size_t nth, unsigned status) { fail_function("", nth, status); }
bool failed() { return faults().happened; }
const char* failed_in() { return faults().where.c_str(); }
std::size_t calls(const char* name) {
  const std::lock_guard<std::recursive_mutex> locked(world().lock);
  return faults().calls[name];
}

// Those that `ends` says.
template <typename Ends>
void finish(const Ends& ends) {
  std::vector<Launch> ended;
  {
    const std::lock_guard<std::recursive_mutex> locked(world().lock);
    auto& all = world().launches;
    const auto stay = std::stable_partition(all.begin(), all.end(),
                                            [&](const Launch& launch) { return !ends(launch); });
    std::move(stay, all.end(), std::back_inserter(ended));
    all.erase(stay, all.end());
  }
  if (ended.empty()) return;
  // Host nodes run on a thread of the driver, without its locks.
  std::thread([&] {
    for (const Launch& launch : ended) {
      for (const auto& call : launch.calls) call.fn(call.userData);
    }
  }).join();
  const std::lock_guard<std::recursive_mutex> locked(world().lock);
  for (Launch& launch : ended) {
    drop_all(&launch.references);
    world().running.erase(launch.number);
  }
}

void finish_all() { finish_launches(nullptr); }
void finish_oldest() {
  std::size_t oldest = 0;
  {
    const std::lock_guard<std::recursive_mutex> locked(world().lock);
    if (!world().launches.empty()) oldest = world().launches.front().number;
  }
  finish([=](const Launch& launch) { return launch.number == oldest; });
}

void* new_stream() {
  const std::lock_guard<std::recursive_mutex> locked(world().lock);
  CUstream_st& made = world().streams.emplace_back();
  made.context = current_context();
  return &made;
}

void join(void* fork, void* primary) {
  const auto* const from = static_cast<CUstream_st*>(primary);
  auto* const to = static_cast<CUstream_st*>(fork);
  to->capture = from->capture;
  to->last = from->last;
}

void invalidate(void* stream) {
  const std::lock_guard<std::recursive_mutex> locked(world().lock);
  Capture* const capture = static_cast<CUstream_st*>(stream)->capture;
  capture->status = api::CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  if (capture->own_graph) destroy(capture->graph);
}

LaunchedKernel last_launch() {
  const CUgraphNode_st& is = world().last_launch;
  const auto& kernel = is.kernel;
  const auto& cluster = is.attributes.cluster;
  return {{kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ},
          {kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ},
          kernel.sharedMemBytes,
          {cluster.x, cluster.y, cluster.z},
          is.attributes.cooperative,
          is.attributes.priority,
          is.attributes.programmatic,
          &is};
}

const void* argument(void* exec, const void* node, std::size_t number) {
  const auto* found = static_cast<const CUgraphNode_st*>(node);
  if (exec != nullptr) {
    for (const auto& [original, copy] : static_cast<CUgraphExec_st*>(exec)->nodes) {
      if (original == node) found = &copy;
    }
  }
  return number < found->arguments.size() ? found->arguments[number].data() : nullptr;
}

}  // namespace

std::set<std::size_t> running_before(const CUstream_st* stream) {
  std::set<std::size_t> before;
  std::set<const void*> streams{stream};
  std::set<unsigned> execs;
  const auto& running = world().running;
  for (auto at = running.rbegin(); at != running.rend(); ++at) {
    const auto& [in, exec] = at->second;
    if (streams.count(in) == 0 && execs.count(exec) == 0) continue;
    before.insert(at->first);
    streams.insert(in);
    execs.insert(exec);
  }
  return before;
}

void finish_launches(const CUstream_st* stream) {
  std::set<std::size_t> before;
  if (stream != nullptr) {
    const std::lock_guard<std::recursive_mutex> locked(world().lock);
    before = running_before(stream);
  }
  finish(
      [&](const Launch& launch) { return stream == nullptr || before.count(launch.number) != 0; });
}

World& world() {
  static auto* const all = new World;
  return *all;
}

unsigned fault(const char* function) {
  Faults& all = faults();
  ++all.calls[function];
  if (all.nth == 0 || (!all.function.empty() && all.function != function)) return 0;
  if (--all.nth != 0) return 0;
  all.happened = true;
  all.where = function;
  return all.status;
}

void due(CUuserObject_st* object) {
  static const bool started = [] {
    std::thread(run_destructors).detach();
    return true;
  }();
  (void)started;
  Destructors& all = destructors();
  const std::lock_guard<std::mutex> locked(all.lock);
  all.queue.emplace_back(object->destroy, object->data);
  all.changed.notify_all();
}

void flush() {
  Destructors& all = destructors();
  std::unique_lock<std::mutex> locked(all.lock);
  all.changed.wait(locked, [&] { return all.hold || (all.queue.empty() && !all.busy); });
}

void hold_destructors(bool hold) {
  Destructors& all = destructors();
  const std::lock_guard<std::mutex> locked(all.lock);
  all.hold = hold;
  all.changed.notify_all();
}

}  // namespace fake

extern "C" const fake::Control* fake_control() {
  static const fake::Control control{
      fake::reset,
      fake::live,
      fake::fail_call,
      fake::fail_function,
      fake::failed,
      fake::failed_in,
      fake::calls,
      fake::flush,
      fake::hold_destructors,
      [](bool hold) { fake::world().hold_launches = hold; },
      fake::finish_all,
      fake::finish_oldest,
      [](bool can) { fake::world().find_in_embedded = can; },
      [](unsigned status) { fake::world().capture_then_fail = status; },
      [](bool two) { fake::world().capture_two = two; },
      [] { return fake::world().misuses; },
      [] { return fake::world().wrong_contexts; },
      [](const void* node) { return static_cast<const CUgraphNode_st*>(node)->context; },
      fake::argument,
      fake::last_launch,
      [] { return fake::world().uploaded; },
      fake::new_stream,
      fake::join,
      fake::invalidate,
  };
  return &control;
}
