// Registration of nvcc-built objects: written down while no library is open, replayed into the
// library right before the first call that goes to it, handed straight on after that.
#pragma once

#include <cstdint>

#include "loader/tables.h"
#include "stubs/cudart/registration_log.h"

namespace anycuda::registration {

// What other copies of the stub ask for by number beside the kinds (loader/copies.h).
constexpr unsigned kUnregister = 0x100;
constexpr unsigned kInitModule = 0x101;

// What the library calls that registration.
const char* symbol_of(unsigned kind);

// The stub's own handles: what a caller holds in place of the library's until the end.
// A fat binary that is unregistered before the library opens is never registered at all.
std::uint32_t new_handle();  // 0: none left
void** handle_address(std::uint32_t index);
std::uint32_t handle_index(void** handle);  // 0: not one of ours
// The library's own handle for one of ours, nullptr before the replay and for cancelled ones.
void** real_handle(std::uint32_t index);
void set_real_handle(std::uint32_t index, void** real);
bool cancelled(std::uint32_t index);
void** handle_unless_cancelled(std::uint32_t index);  // the library's own
void cancel(std::uint32_t index);

// Hands everything written down to the library. One thread does it, and every thread returns only
// after all of it is done; only the library's own calls to the stub meanwhile go on at once. False
// for such a call: its function's slot must not be filled yet, or other threads' calls of that
// function would reach the library too early.
bool replay(const Opened& library);
// Is there nothing left to replay, so that calls go straight on?
bool replayed();
// Has a thread begun to replay, or was there nothing to replay?
bool replaying();
// Writes a call down. False when it has to be made directly.
bool write_down(unsigned kind, std::uint32_t handle, const std::uint64_t* arguments);

// What goes before a registration call that is made directly: the replay, and the look-up of the
// library's functions.
void catch_up(const Opened& library);
// Makes one registration call on the library, after catch_up().
void call_library(unsigned kind, void** handle, const std::uint64_t* arguments);
void** call_fat_binary(std::uint64_t fat_binary);

}  // namespace anycuda::registration
