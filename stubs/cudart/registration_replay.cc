// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "loader/open.h"
#include "loader/report.h"
#include "loader/stub_copies.h"
#include "loader/symbols/function.h"
#include "stubs/cudart/adapters/references_registry.h"
#include "stubs/cudart/device_code.h"
#include "stubs/cudart/process_token.h"
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

// Called once for a process or an object: built to be small.
#define ANYCUDA_ONCE __attribute__((cold))

namespace anycuda::registration {
namespace {

Log log_of_calls;
std::atomic<std::size_t> done{0};  // position in the log that the library has

// The thread that replays, 0: not begun. It includes the process: a forked child must take over
// from a thread that does not exist in the child.
std::atomic<std::uint64_t> replayer{0};
std::uint64_t this_thread() {
  return std::uint64_t{process_token()} << 32 | static_cast<std::uint32_t>(syscall(SYS_gettid));
}
constexpr std::uint64_t process_of(std::uint64_t thread) { return thread >> 32; }

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

// The kinds, and behind them the two other functions.
constexpr unsigned kFunctionCount = kKindCount + 2;
constexpr unsigned index_of(unsigned kind) {
  return kind < kUnregister ? kind : kKindCount + kind - kUnregister;
}
// Their names, one behind the other: an address in data is a relocation at every start.
constexpr char kSymbols[] =
    "__cudaRegisterFatBinary\0"
    "__cudaRegisterFatBinaryEnd\0"
    "__cudaRegisterFunction\0"
    "__cudaRegisterVar\0"
    "__cudaRegisterManagedVar\0"
    "__cudaRegisterHostVar\0"
    "__cudaRegisterTexture\0"
    "__cudaRegisterSurface\0"
    "__cudaRegisterUnifiedTable\0"
    "__cudaUnregisterFatBinary\0"
    "__cudaInitModule";

const char* name_of(unsigned index) {
  const char* name = kSymbols;
  while (--index != 0) name += std::strlen(name) + 1;
  return name;
}

// Address of each of these functions in the library. All of them are looked up before anything is
// handed to it.
std::atomic<void*> real_functions[kFunctionCount];
std::atomic<bool> looked_up{false};
// In place of all of them where another copy of the stub leads.
std::atomic<copy_functions::Register::Type*> leading_register{nullptr};
// Does the stub keep texture and surface references? Then it also needs the kernels.
std::atomic<bool> stub_keeps_references{false};

void* real_function(unsigned index) {
  return real_functions[index].load(std::memory_order_acquire);
}

void* fallback_function(unsigned kind) {
  if (kind == kTexture) return reinterpret_cast<void*>(&adapt_register_texture);
  if (kind == kSurface) return reinterpret_cast<void*>(&adapt_register_surface);
  return nullptr;
}

ANYCUDA_ONCE void look_up_functions(const Opened& library) {
  const Functions functions(library.handle);
  for (unsigned i = kFatBinary; i < kFunctionCount; ++i) {
    void* found = functions.find(name_of(i));
    if (found == nullptr) found = fallback_function(i);
    real_functions[i].store(found, std::memory_order_relaxed);
  }
  stub_keeps_references.store(real_function(kTexture) == fallback_function(kTexture),
                              std::memory_order_relaxed);
}

ANYCUDA_ONCE bool has_destination() {
  return of_leader<copy_functions::Register>() != nullptr || known_library() != nullptr;
}

ANYCUDA_ONCE void know_destination() {
  if (looked_up.load(std::memory_order_acquire)) return;
  const auto leaders = of_leader<copy_functions::Register>();
  const Opened* const library = leaders == nullptr ? known_library() : nullptr;
  if (leaders == nullptr && library == nullptr) return;  // no memory
  leading_register.store(leaders, std::memory_order_relaxed);
  if (library != nullptr) look_up_functions(*library);
  looked_up.store(true, std::memory_order_release);
}

void replay_one(const Record& record) {
  if (record.kind == kFatBinary) {
    if (cancelled(record.handle)) return;
    set_real_handle(record.handle, pass_on(kFatBinary, nullptr, record.arguments));
    return;
  }
  void** real = handle_unless_cancelled(record.handle);
  if (real != nullptr) pass_on(record.kind, real, record.arguments);
}

ANYCUDA_ONCE void replay_all() {
  std::size_t position = done.load(std::memory_order_acquire);
  for (;;) {
    Record record;
    while (log_of_calls.next(&position, &record)) {
      replay_one(record);
      done.store(position, std::memory_order_release);
    }
    if (log_of_calls.close_at(position)) break;
  }
  log_step("cudart: registered the device code that was loaded before the runtime");
  log_of_calls.release();
  wake_all();
}

}  // namespace

const char* symbol_of(unsigned kind) { return name_of(index_of(kind)); }

bool write_down(unsigned kind, std::uint32_t handle, const std::uint64_t* arguments) {
  Record record{kind, handle, {}};
  for (int i = 0; i < kMaxArguments; ++i) record.arguments[i] = arguments[i];
  return log_of_calls.append(record);
}

bool replayed() { return log_of_calls.closed(); }
bool replaying() { return replayer.load(std::memory_order_seq_cst) != 0 || replayed(); }

ANYCUDA_ONCE bool replay() {
  if (replayed()) return true;
  // In most programs the log is empty, and this thread waits for no other.
  if (!has_destination()) return log_of_calls.size() == 0;
  if (log_of_calls.close_at(0)) return true;
  know_destination();
  const std::uint64_t self = this_thread();
  while (!replayed()) {
    std::uint64_t owner = replayer.load(std::memory_order_seq_cst);
    // The library calls the stub while it takes in a registration: such a call can't wait for it.
    if (owner == self) return false;
    // A thread of another process does not exist here: fork interrupted its replay.
    if (process_of(owner) != process_of(self) &&
        replayer.compare_exchange_strong(owner, self, std::memory_order_seq_cst)) {
      replay_all();
      return true;
    }
    wait_until_finished();
  }
  return true;
}

bool catch_up() {
  if (!has_destination()) return false;
  replay();
  know_destination();
  return true;
}

namespace {

// Every argument is an integer or a pointer, so the longest signature serves them all: what a
// function does not take lies in registers and stack slots that it does not read.
void call_library(unsigned kind, void** handle, const std::uint64_t* a) {
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

ANYCUDA_ONCE void call_unregister(void** handle) {
  using Unregister = void (*)(void**);
  const auto function = reinterpret_cast<Unregister>(real_function(index_of(kUnregister)));
  if (function == nullptr) return;
  references::remove_fat_binary(handle);
  function(handle);
}

ANYCUDA_ONCE bool call_init_module(void** handle) {
  using Init = char (*)(void**);
  const auto function = reinterpret_cast<Init>(real_function(index_of(kInitModule)));
  return function != nullptr && function(handle) != 0;
}

}  // namespace

void** pass_on(unsigned kind, void** handle, const std::uint64_t* arguments) {
  if (const auto leaders = leading_register.load(std::memory_order_acquire)) {
    return leaders(kind, handle, arguments);
  }
  if (kind != kFatBinary && kind < kKindCount) {
    call_library(kind, handle, arguments);
    return nullptr;
  }
  if (kind == kFatBinary) return call_fat_binary(arguments[0]);
  if (kind == kInitModule) return call_init_module(handle) ? handle : nullptr;
  call_unregister(handle);
  return nullptr;
}

}  // namespace anycuda::registration
