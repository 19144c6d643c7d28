#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include "loader/open.h"
#include "loader/report.h"
#include "stubs/cudart/registration.h"
#include "stubs/cudart/registration_log.h"

namespace anycuda::registration {
namespace {

Log log_of_calls;
std::atomic<std::size_t> done{0};     // position in the log that the library has
std::atomic<pid_t> replaying_pid{0};  // whose thread replays: a forked child may have to take over

constexpr const char* kSymbols[kKindCount] = {
    "",
    "__cudaRegisterFatBinary",
    "__cudaRegisterFatBinaryEnd",
    "__cudaRegisterFunction",
    "__cudaRegisterVar",
    "__cudaRegisterManagedVar",
    "__cudaRegisterHostVar",
    "__cudaRegisterTexture",
    "__cudaRegisterSurface",
    "__cudaRegisterUnifiedTable",
};

// Address of each registration function in the library, looked up once.
std::atomic<void*> real_functions[kKindCount];

void* real_function(const Opened& library, unsigned kind) {
  void* known = real_functions[kind].load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* found = dlsym(library.handle, kSymbols[kind]);
  if (found == nullptr) dlerror();
  real_functions[kind].store(found, std::memory_order_release);
  return found;
}

void replay_one(const Opened& library, const Record& record) {
  if (cancelled(record.handle)) return;
  if (record.kind == kFatBinary) {
    set_real_handle(record.handle, call_fat_binary(library, record.arguments[0]));
    return;
  }
  void** real = real_handle(record.handle);
  if (real != nullptr) call_library(library, record.kind, real, record.arguments);
}

void replay_all(const Opened& library) {
  std::size_t position = done.load(std::memory_order_acquire);
  for (;;) {
    Record record;
    while (log_of_calls.next(&position, &record)) {
      replay_one(library, record);
      done.store(position, std::memory_order_release);
    }
    if (log_of_calls.close_at(position)) break;
  }
  log_step("cudart: replayed %zu words of registrations", position);
  log_of_calls.release();
}

}  // namespace

const char* symbol_of(unsigned kind) { return kSymbols[kind]; }

bool write_down(unsigned kind, std::uint32_t handle, const std::uint64_t* arguments) {
  Record record{kind, handle, {}};
  for (int i = 0; i < kMaxArguments; ++i) record.arguments[i] = arguments[i];
  return log_of_calls.append(record);
}

bool replayed() { return log_of_calls.closed(); }
bool replaying() { return replaying_pid.load(std::memory_order_seq_cst) != 0; }

void replay(const Opened& library) {
  const pid_t self = getpid();
  while (!replayed()) {
    pid_t owner = replaying_pid.load(std::memory_order_seq_cst);
    // Another process's thread is none of ours: fork took it away in the middle of its work.
    if (owner != self &&
        replaying_pid.compare_exchange_strong(owner, self, std::memory_order_seq_cst)) {
      replay_all(library);
      return;
    }
    sched_yield();
  }
}

void call_library(const Opened& library, unsigned kind, void** handle, const std::uint64_t* a) {
  // Every argument is an integer or a pointer, so the longest signature serves them all: what a
  // function does not take lies in registers and stack slots that it does not read.
  using Register =
      void (*)(void**, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
               std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
  const auto function = reinterpret_cast<Register>(real_function(library, kind));
  if (function != nullptr) {
    function(handle, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
  }
}

void** call_fat_binary(const Opened& library, std::uint64_t fat_binary) {
  using Register = void** (*)(void*);
  const auto function = reinterpret_cast<Register>(real_function(library, kFatBinary));
  return function != nullptr ? function(reinterpret_cast<void*>(fat_binary)) : nullptr;
}

}  // namespace anycuda::registration
