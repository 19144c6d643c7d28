// SPDX-License-Identifier: Apache-2.0

// The list of retired owners (push in later.h). drain() takes the whole list.
#include "anycuda/graph/drain.h"

#include <atomic>
#include <new>

#include "graph/attachment.h"
#include "graph/error.h"
#include "graph/later.h"
#include "graph/scopes.h"

namespace anycuda::graph {
namespace {

// Constant-initialised and without destructors: the driver's threads may still add owners after
// main.
std::atomic<UserObject*> retired{nullptr};
std::atomic<std::size_t> waiting{0};
std::atomic<ReleaseMode> mode_of_release{ReleaseMode::any_call};

// Whether this thread runs deleters now. A deleter that drains again gets 0 at once: the loop below
// goes on after it, so the stack does not grow with the number of owners.
thread_local bool draining = false;

bool is_idle(TryLater later) noexcept {
  return retired.load(std::memory_order_relaxed) == nullptr && later_count(later) == 0;
}

std::size_t release_all() noexcept {
  std::size_t count = 0;
  UserObject* taken = nullptr;
  for (;;) {
    if (taken == nullptr) taken = retired.exchange(nullptr, std::memory_order_acquire);
    if (taken == nullptr) return count;
    UserObject* const one = taken;
    taken = one->next;
    waiting.fetch_sub(1, std::memory_order_relaxed);
    UserObject::release(one);
    ++count;
  }
}

std::size_t drain_once(TryLater later) noexcept {
  if (is_idle(later) || draining) return 0;
  if (later == TryLater::one && release_mode() == ReleaseMode::only_in_drain) return 0;
  draining = true;
  const RelaxedCaptureScope mode;
  try_later(later);
  const std::size_t count = release_all();
  draining = false;
  return count;
}

}  // namespace

extern "C" void anycuda_graph_retire(void* object) noexcept {
  auto* const one = static_cast<UserObject*>(object);
  waiting.fetch_add(1, std::memory_order_relaxed);
  push(&retired, one);
}

std::size_t pending() noexcept {
  return waiting.load(std::memory_order_relaxed) + later_count(TryLater::all);
}

void set_release_mode(ReleaseMode mode) noexcept {
  mode_of_release.store(mode, std::memory_order_relaxed);
}

ReleaseMode release_mode() noexcept { return mode_of_release.load(std::memory_order_relaxed); }

std::size_t drain() noexcept { return drain_once(TryLater::all); }

// Every call of the library begins here: it waits for no other thread, and asks the driver about
// one launch at most.
void drain_at_entry() noexcept { drain_once(TryLater::one); }

void release(std::shared_ptr<ExecOwners> list) noexcept {
  if (list == nullptr) return;
  // As another holder of the list, since this one may be the last. Without memory for it, the list
  // is released here.
  if (release_mode() == ReleaseMode::only_in_drain) {
    if (auto* const holder = new (std::nothrow) ExecOwnersRef(list)) anycuda_graph_retire(holder);
  }
  const RelaxedCaptureScope mode;
  list = nullptr;
}

void release(OwnerList* list) noexcept {
  if (list->first == nullptr) return;
  if (release_mode() == ReleaseMode::only_in_drain) {
    while (list->first != nullptr) {
      Attachment* const one = list->first;
      list->first = static_cast<Attachment*>(one->next);
      anycuda_graph_retire(one);
    }
    return;
  }
  const RelaxedCaptureScope mode;
  list->clear();
}

}  // namespace anycuda::graph
