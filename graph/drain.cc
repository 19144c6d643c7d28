// The list of what is over: any thread puts on, with no lock, no memory and no CUDA; whoever lets
// go takes all of it at once, so that no element can come back while somebody looks at it.
#include "anycuda/graph/drain.h"

#include <atomic>

#include "graph/attachment.h"
#include "graph/driver.h"
#include "graph/error.h"

namespace anycuda::graph {
namespace {

// Constants before and after main: nothing runs at exit, and the driver's threads may still put on.
std::atomic<UserObject*> over{nullptr};
std::atomic<std::size_t> waiting{0};

// While deleters run: they free memory, which would invalidate a capture that this thread has begun
// (CUDA Driver API, cuThreadExchangeStreamCaptureMode). Where that cannot be asked for, there is no
// capture.
class Relaxed {
 public:
  Relaxed() : is_(api::cuThreadExchangeStreamCaptureMode(&mode_) == api::CUDA_SUCCESS) {}
  ~Relaxed() {
    if (is_) api::cuThreadExchangeStreamCaptureMode(&mode_);
  }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  unsigned mode_ = api::CU_STREAM_CAPTURE_MODE_RELAXED;  // later the one before
  bool is_;
};

// Whether this thread runs deleters now. A deleter that drains again gets 0 at once: the loop below
// goes on after it, so the stack does not grow with the number of owners.
thread_local bool draining = false;

std::size_t let_go_all() noexcept {
  std::size_t count = 0;
  UserObject* taken = nullptr;
  for (;;) {
    if (taken == nullptr) taken = over.exchange(nullptr, std::memory_order_acquire);
    if (taken == nullptr) return count;
    UserObject* const one = taken;
    taken = one->next;
    waiting.fetch_sub(1, std::memory_order_relaxed);
    UserObject::let_go(one);
    ++count;
  }
}

}  // namespace

extern "C" void anycuda_graph_is_over(void* object) noexcept {
  auto* const one = static_cast<UserObject*>(object);
  waiting.fetch_add(1, std::memory_order_relaxed);
  one->next = over.load(std::memory_order_relaxed);
  while (!over.compare_exchange_weak(one->next, one, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

std::size_t pending() noexcept { return waiting.load(std::memory_order_relaxed); }

std::size_t drain() noexcept {
  if (draining || over.load(std::memory_order_relaxed) == nullptr) return 0;
  draining = true;
  const Relaxed mode;
  const std::size_t count = let_go_all();
  draining = false;
  return count;
}

void let_go(std::shared_ptr<OwnerList> list) noexcept {
  if (list == nullptr) return;
  const Relaxed mode;
  list = nullptr;
}

void drain_at_entry() noexcept { drain(); }

}  // namespace anycuda::graph
