// SPDX-License-Identifier: Apache-2.0

// The functions that replace cudart's registration functions.
#include "stubs/cudart/registration.h"

#include "loader/open.h"
#include "loader/stub_copies.h"
#include "stubs/cudart/registration_log.h"

namespace anycuda::registration {
namespace {

// For a call that is made directly: opens the library, unless another copy of the stub leads.
// Without a caller: the stub's caller is not known here.
bool reach_library(unsigned kind, const void* caller = nullptr) {
  if (catch_up()) return true;
  open_library(kUnversioned, caller, symbol_of(kind));
  return catch_up();
}

// The handle that pass_on() takes for the caller's, which is the same or the stub's.
void** translate(void** handle) {
  const std::uint32_t index = handle_index(handle);
  return index != 0 ? real_handle(index) : handle;
}

// Makes the call directly: the library is open, or the call cannot be logged (no memory).
void call_directly(unsigned kind, void** handle, const std::uint64_t* arguments) {
  if (!reach_library(kind)) return;
  void** real = translate(handle);
  if (real != nullptr) pass_on(kind, real, arguments);
}

std::uint64_t word(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
std::uint64_t word(int value) { return static_cast<std::uint32_t>(value); }

void** register_fat_binary(const std::uint64_t* arguments) {
  if (!replayed()) {
    const std::uint32_t index = new_handle();
    if (index != 0 && write_down(kFatBinary, index, arguments)) return handle_address(index);
  }
  return reach_library(kFatBinary) ? pass_on(kFatBinary, nullptr, arguments) : nullptr;
}

void unregister_fat_binary(void** handle) {
  const std::uint32_t index = handle_index(handle);
  if (index != 0) cancel(index);  // before the check for a running replay: see replay_one
  // Waits for the replaying thread, which may be reading this very object.
  if (!replaying() || !catch_up()) return;
  void** real = translate(handle);
  if (real != nullptr) pass_on(kUnregister, real, nullptr);
}

bool init_module(void** handle, const std::uint64_t* caller) {
  if (!reach_library(kInitModule, reinterpret_cast<const void*>(*caller))) return false;
  void** real = translate(handle);
  return real != nullptr && pass_on(kInitModule, real, caller) != nullptr;
}

}  // namespace
}  // namespace anycuda::registration

using namespace anycuda::registration;

#define ANYCUDA_OWN extern "C" __attribute__((visibility("hidden")))
// Called once for an object, or for things that few objects have: built to be small.
#define ANYCUDA_RARE ANYCUDA_OWN __attribute__((cold))

// Through this copy of the stub; other copies come here too. Only a fat binary and an initialised
// module have a result.
ANYCUDA_OWN void** anycuda_copy_register(unsigned kind, void** handle,
                                         const std::uint64_t* arguments) {
  switch (kind) {
    case kFatBinary:
      return register_fat_binary(arguments);
    case kUnregister:
      unregister_fat_binary(handle);
      return nullptr;
    case kInitModule:
      return init_module(handle, arguments) ? handle : nullptr;
    default:
      break;
  }
  if (kind == kNone || kind >= kKindCount) return nullptr;  // of a later version of the protocol
  const std::uint32_t index = handle_index(handle);
  if (index == 0 || !write_down(kind, index, arguments)) call_directly(kind, handle, arguments);
  return nullptr;
}

namespace anycuda::registration {
namespace {

// Through the copy that keeps the log: registrations by any copy serve the calls of all.
template <typename... Arguments>
void** register_any(unsigned kind, void** handle, Arguments... values) {
  const std::uint64_t arguments[kMaxArguments] = {static_cast<std::uint64_t>(values)...};
  const auto logging = of_logging<copy_functions::Register>();
  return logging != nullptr ? logging(kind, handle, arguments)
                            : anycuda_copy_register(kind, handle, arguments);
}

}  // namespace
}  // namespace anycuda::registration

// The logs first go to the copy that leads, and from there to the library.
ANYCUDA_OWN bool anycuda_replay() {
  using anycuda::copy_functions::Replay;
  const auto logging = anycuda::of_logging<Replay>();
  bool is_passed_on = logging != nullptr ? logging() != 0 : replay();
  if (anycuda::is_static_stub()) {
    const auto first = anycuda::of_first_file<Replay>();
    is_passed_on = (first == nullptr || first() != 0) && is_passed_on;
  }
  if (const auto leaders = anycuda::of_leader<Replay>()) return leaders() != 0 && is_passed_on;
  return logging == nullptr ? is_passed_on : replay() && is_passed_on;
}

ANYCUDA_OWN int anycuda_copy_replay() { return replay() ? 1 : 0; }

ANYCUDA_OWN void** anycuda_register_fat_binary(void* fat_binary) {
  return register_any(kFatBinary, nullptr, word(fat_binary));
}

ANYCUDA_RARE void anycuda_register_fat_binary_end(void** handle) {
  register_any(kFatBinaryEnd, handle);
}

ANYCUDA_RARE void anycuda_unregister_fat_binary(void** handle) {
  register_any(kUnregister, handle);
}

ANYCUDA_OWN void anycuda_register_function(void** handle, const char* host_function,
                                           char* device_function, const char* device_name,
                                           int thread_limit, void* tid, void* bid, void* block_dim,
                                           void* grid_dim, int* warp_size) {
  register_any(kFunction, handle, word(host_function), word(device_function), word(device_name),
               word(thread_limit), word(tid), word(bid), word(block_dim), word(grid_dim),
               word(warp_size));
}

ANYCUDA_OWN void anycuda_register_var(void** handle, char* host_var, char* device_address,
                                      const char* device_name, int external, std::size_t size,
                                      int constant, int global) {
  register_any(kVariable, handle, word(host_var), word(device_address), word(device_name),
               word(external), size, word(constant), word(global));
}

ANYCUDA_RARE void anycuda_register_managed_var(void** handle, void** host_var, char* device_address,
                                               const char* device_name, int external,
                                               std::size_t size, int constant, int global) {
  register_any(kManagedVariable, handle, word(host_var), word(device_address), word(device_name),
               word(external), size, word(constant), word(global));
}

ANYCUDA_RARE void anycuda_register_host_var(void** handle, const char* device_name, char* host_var,
                                            std::size_t size) {
  register_any(kHostVariable, handle, word(device_name), word(host_var), size);
}

ANYCUDA_RARE void anycuda_register_texture(void** handle, const void* host_var,
                                           const void** device_address, const char* device_name,
                                           int dimensions, int normalized, int external) {
  register_any(kTexture, handle, word(host_var), word(device_address), word(device_name),
               word(dimensions), word(normalized), word(external));
}

ANYCUDA_RARE void anycuda_register_surface(void** handle, const void* host_var,
                                           const void** device_address, const char* device_name,
                                           int dimensions, int external) {
  register_any(kSurface, handle, word(host_var), word(device_address), word(device_name),
               word(dimensions), word(external));
}

// No header declares it; that it passes five arguments on was read off the machine code of
// cudart 12.9 and 13.5.
ANYCUDA_RARE void anycuda_register_unified_table(void** handle, void* a, void* b, void* c,
                                                 void* d) {
  register_any(kUnifiedTable, handle, word(a), word(b), word(c), word(d));
}

ANYCUDA_RARE char anycuda_init_module(void** handle) {
  return register_any(kInitModule, handle, word(__builtin_return_address(0))) != nullptr ? 1 : 0;
}
