// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader/open.h"
#include "loader/report.h"
#include "loader/symbols/function.h"
#include "stubs/cudart/adapters/references_registry.h"
#include "stubs/cudart/device_code.h"
#include "stubs/cudart/registration.h"
#include "stubs/cudart/registration_log.h"

// Replacements for functions that runtimes dropped in 12 (adapters/references.cc). Called with the
// same signature: see call_library.
#pragma GCC visibility push(hidden)
extern "C" {
void adapt_register_texture();
void adapt_register_surface();
}
#pragma GCC visibility pop

namespace anycuda::registration {
namespace {

Log log_of_calls;
std::atomic<std::size_t> done{0};  // position in the log that the library has

// The thread that replays, 0: not begun. It includes the process: a forked child must take over
// from a thread that does not exist in the child.
std::atomic<std::uint64_t> replayer{0};
std::uint64_t this_process() { return static_cast<std::uint64_t>(getpid()) << 32; }
std::uint64_t this_thread() {
  return this_process() | static_cast<std::uint32_t>(syscall(SYS_gettid));
}
constexpr std::uint64_t process_of(std::uint64_t thread) { return thread >> 32 << 32; }

// A thread that arrives during the replay sleeps until it is done. Yielding is not enough: a
// real-time thread (SCHED_FIFO) that yields runs before an ordinary one that replays.
std::atomic<std::uint32_t> finished{0};
static_assert(sizeof finished == 4);

void wait_until_finished() {
  syscall(SYS_futex, &finished, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}
void wake_all() {
  constexpr int kAll = 0x7fffffff;
  finished.store(1, std::memory_order_release);
  syscall(SYS_futex, &finished, FUTEX_WAKE_PRIVATE, kAll, nullptr, nullptr, 0);
}

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

// Address of each registration function in the library. All of them are looked up before anything
// is handed to it.
std::atomic<void*> real_functions[kKindCount];
std::atomic<bool> looked_up{false};
// Does the stub keep texture and surface references? Then it also needs the kernels.
std::atomic<bool> stub_keeps_references{false};

void* real_function(unsigned kind) { return real_functions[kind].load(std::memory_order_acquire); }

void* fallback_function(unsigned kind) {
  if (kind == kTexture) return reinterpret_cast<void*>(&adapt_register_texture);
  if (kind == kSurface) return reinterpret_cast<void*>(&adapt_register_surface);
  return nullptr;
}

void look_up_functions(const Opened& library) {
  if (looked_up.load(std::memory_order_acquire)) return;
  const Functions functions(library.handle);
  for (unsigned kind = kFatBinary; kind < kKindCount; ++kind) {
    void* found = functions.find(kSymbols[kind]);
    if (found == nullptr) found = fallback_function(kind);
    real_functions[kind].store(found, std::memory_order_relaxed);
  }
  stub_keeps_references.store(real_function(kTexture) == fallback_function(kTexture),
                              std::memory_order_relaxed);
  looked_up.store(true, std::memory_order_release);
}

void replay_one(const Record& record) {
  if (record.kind == kFatBinary) {
    if (cancelled(record.handle)) return;
    set_real_handle(record.handle, call_fat_binary(record.arguments[0]));
    return;
  }
  void** real = handle_unless_cancelled(record.handle);
  if (real != nullptr) call_library(record.kind, real, record.arguments);
}

void replay_all(const char* library) {
  std::size_t position = done.load(std::memory_order_acquire);
  for (;;) {
    Record record;
    while (log_of_calls.next(&position, &record)) {
      replay_one(record);
      done.store(position, std::memory_order_release);
    }
    if (log_of_calls.close_at(position)) break;
  }
  log_step(
      "cudart: registered with %s the kernels and variables of programs and libraries that were "
      "loaded before it",
      library);
  log_of_calls.release();
  wake_all();
}

}  // namespace

const char* symbol_of(unsigned kind) { return kSymbols[kind]; }

bool write_down(unsigned kind, std::uint32_t handle, const std::uint64_t* arguments) {
  Record record{kind, handle, {}};
  for (int i = 0; i < kMaxArguments; ++i) record.arguments[i] = arguments[i];
  return log_of_calls.append(record);
}

bool replayed() { return log_of_calls.closed(); }
bool replaying() { return replayer.load(std::memory_order_seq_cst) != 0 || replayed(); }

bool replay(const Opened& library) {
  // In most programs the log is empty, and this thread waits for no other.
  if (replayed() || log_of_calls.close_at(0)) return true;
  look_up_functions(library);
  const std::uint64_t self = this_thread();
  while (!replayed()) {
    std::uint64_t owner = replayer.load(std::memory_order_seq_cst);
    // The library calls the stub while it takes in a registration: such a call can't wait for it.
    if (owner == self) return false;
    // A thread of another process does not exist here: fork interrupted its replay.
    if (process_of(owner) != process_of(self) &&
        replayer.compare_exchange_strong(owner, self, std::memory_order_seq_cst)) {
      replay_all(library.path);
      return true;
    }
    wait_until_finished();
  }
  return true;
}

void catch_up(const Opened& library) {
  replay(library);
  look_up_functions(library);
}

void call_library(unsigned kind, void** handle, const std::uint64_t* a) {
  // Every argument is an integer or a pointer, so the longest signature serves them all: what a
  // function does not take lies in registers and stack slots that it does not read.
  using Register =
      void (*)(void**, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
               std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
  const auto function = reinterpret_cast<Register>(real_function(kind));
  if (function != nullptr) {
    function(handle, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
  }
  if (kind == kFunction && stub_keeps_references.load(std::memory_order_relaxed)) {
    references::add_kernel(handle, reinterpret_cast<const void*>(a[0]));
  }
}

void** call_fat_binary(std::uint64_t fat_binary) {
  if (log_enabled(LogLevel::warn)) report_device_code(fat_binary);
  using Register = void** (*)(void*);
  const auto function = reinterpret_cast<Register>(real_function(kFatBinary));
  void** handle = function != nullptr ? function(reinterpret_cast<void*>(fat_binary)) : nullptr;
  if (stub_keeps_references.load(std::memory_order_relaxed)) references::add_fat_binary(handle);
  return handle;
}

}  // namespace anycuda::registration
