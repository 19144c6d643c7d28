// SPDX-License-Identifier: Apache-2.0

// When retired owners are released, and the text of errors.
//
// The owners of a node retire when no graph and no executable graph holds them any more, and no
// launch uses them. The driver reports that some time later, on one of its threads, where no CUDA
// may be called (CUDA Programming Guide, "CUDA User Objects") and no lock should be waited for. So
// this library only puts retired owners on a lock-free list there. The next call into this library,
// on any thread, or drain() releases them; until then they stay on the list (set_release_mode() can
// leave this to drain() alone). Nothing is released at
// exit: the system reclaims what is left.
//
// A deleter must not throw (the C++ standard, on std::shared_ptr: the process would end). The owner
// that on_release() makes (owner.h) may.
#pragma once

#include <cstddef>

#include "anycuda/graph/cuda_types.h"

namespace anycuda::graph {

// Releases all retired owners, on this thread. Their deleters may call CUDA, also while this thread
// captures a stream: the thread is in CUDA's relaxed capture mode meanwhile (CUDA Driver API,
// cuThreadExchangeStreamCaptureMode). Returns how many were released: the owners of one node count
// as one, and so does an Exec's list of owners. Also destroys all executable graphs whose
// destruction has waited for their launches, if these have ended and Exec::destroy was called on
// this thread or on one that has ended; the driver reports their owners some time after that. Any
// thread. A deleter may call any function of this library; drain() in a deleter returns 0 at once,
// and the outer drain() releases and counts the rest, so the stack use does not grow with the
// number of owners.
std::size_t drain() noexcept;

// In which calls retired owners are released, for the whole process.
enum class ReleaseMode {
  any_call,       // at the beginning of each call of this library, and in drain(); the default
  only_in_drain,  // only in drain(): for programs whose deleters must not run in other calls
};

// Any thread; calls that run at the same time may still follow the former mode. In the mode
// `only_in_drain`, owners that Exec::set_*, launch(), update() and destroy() replace or release
// also wait for drain(), and so do executable graphs that wait to be destroyed. A program that
// never calls drain() then keeps all of them. Owners that this library has not yet taken, as those
// of a call that fails, are the caller's, and are not delayed.
void set_release_mode(ReleaseMode mode) noexcept;
ReleaseMode release_mode() noexcept;

// How many retired owners wait to be released, counted as drain() does, and how many executable
// graphs wait to be destroyed by drain() on this thread. Any thread.
std::size_t pending() noexcept;

// How many exceptions host callbacks (HostNode::call) have thrown. This library catches them, since
// no exception can pass through the driver's threads. Any thread.
std::size_t lost_exceptions() noexcept;

// The text of the exception with this number: 0 is the first, lost_exceptions() - 1 the newest. The
// text is its what(), cut after 255 bytes, or "an exception that is not a std::exception". It is
// empty for a number that is not reached yet, and for all but the newest 16. Any thread; valid
// until this thread's next call of lost_exception().
const char* lost_exception(std::size_t number) noexcept;

// How many releases have failed: calls of the driver by which this library frees what Buffer,
// Kernel and Event own, or destroys an executable graph that waited for its launch; callables of
// on_release() (owner.h) that threw or returned an error; and those that the program reported. Any
// thread.
std::size_t failed_releases() noexcept;

// The text of the failure with this number, such as "cuMemFree_v2: CUDA_ERROR_ILLEGAL_ADDRESS
// (700)"; numbers, length and validity as for lost_exception().
const char* failed_release(std::size_t number) noexcept;

// Counts a failure in a deleter of the program. Any thread; needs no memory.
void record_failed_release(const char* text) noexcept;
void record_failed_release(const char* what, CUresult status) noexcept;  // "what: name (number)"

// A sentence about the last call of this library that failed on this thread; empty before the first
// failure. Calls that succeed do not change it. Valid until this thread's next call.
const char* last_error() noexcept;

}  // namespace anycuda::graph
