// SPDX-License-Identifier: Apache-2.0

// Registration of nvcc-built objects: logged while no library is open, replayed into the library
// right before the first call that goes to it, forwarded directly after that.
#pragma once

#include <cstdint>

#include "stubs/cudart/registration_log.h"

namespace anycuda::registration {

// The numbers of the functions that other copies of the stub call, beside the kinds
// (loader/stub_copies.h).
constexpr unsigned kUnregister = 0x100;
constexpr unsigned kInitModule = 0x101;

// The library's name of that registration function.
const char* symbol_of(unsigned kind);

// The stub's handles, which callers keep in place of the library's until the end.
// A fat binary that is unregistered before the library opens is never registered at all.
std::uint32_t new_handle();  // 0: none left
void** handle_address(std::uint32_t index);
std::uint32_t handle_index(void** handle);  // 0: not a stub's handle
// The library's handle for a stub's handle, nullptr before the replay and for cancelled ones.
void** real_handle(std::uint32_t index);
void set_real_handle(std::uint32_t index, void** real);
bool cancelled(std::uint32_t index);
void** handle_unless_cancelled(std::uint32_t index);  // the library's handle
void cancel(std::uint32_t index);

// Passes the whole log on, to the library or to the copy of the stub that leads. One thread does
// it, and every thread returns only after all of it is done; only the library's calls of the stub
// meanwhile are forwarded at once. Returns false for such a call: its function's slot must not be
// filled yet, or other threads' calls of that function would reach the library too early. Returns
// false, too, if there is a log and no library is open.
bool replay();
// Is the replay complete, so that calls go straight on?
bool replayed();
// Has a thread begun to replay, or was there nothing to replay?
bool replaying();
// Logs a call. False if it must be made directly.
bool write_down(unsigned kind, std::uint32_t handle, const std::uint64_t* arguments);

// The steps before a registration call that is made directly: the replay, and the look-up of the
// library's functions. False: no library is open, and no other copy of the stub leads.
bool catch_up();
// Makes one registration call after catch_up(): the copy of the stub that leads, or the library,
// knows `handle`. Only a fat binary and an initialised module have a result.
void** pass_on(unsigned kind, void** handle, const std::uint64_t* arguments);

}  // namespace anycuda::registration
