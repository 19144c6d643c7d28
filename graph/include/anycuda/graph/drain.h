// When owners are let go, and what went wrong.
//
// The driver tells on a thread of its own that nothing uses an owner any more, some time after the
// fact; no CUDA may be called there (CUDA Programming Guide, "CUDA User Objects"), and no lock
// should be waited for. So what is over is put on a lock-free list, and let go at the next call
// into this library on any thread, or by drain(). Nothing is lost when that cannot be done now: it
// stays on the list. At exit, what is left is left to the system.
//
// A deleter must not throw (the C++ standard, on std::shared_ptr: the process would end).
#pragma once

#include <cstddef>

namespace anycuda::graph {

// Lets go all that is over, on this thread; owners' deleters may call CUDA, also while this thread
// captures a stream: it is in CUDA's relaxed mode meanwhile (CUDA Driver API,
// cuThreadExchangeStreamCaptureMode). Returns how many nodes' owners (and lists of an Exec) were
// let go. Any thread. A deleter may call any function of this library; drain() in a deleter returns
// 0 at once, and the drain that runs the deleter goes on with the rest and counts all of it: the
// stack that it needs does not depend on how many owners wait.
std::size_t drain() noexcept;

// How many nodes' owners (and lists of an Exec) wait to be let go. Any thread.
std::size_t pending() noexcept;

// How many exceptions host callbacks (HostNode::call) have thrown. They end there: no exception can
// pass through the driver's threads. Any thread.
std::size_t lost_exceptions() noexcept;

// What the exception with this number was: 0 is the first, lost_exceptions() - 1 the newest. Its
// what(), cut after 255 bytes; of one that is not a std::exception, words that say so. Empty for a
// number that was not reached yet, and for all but the newest 16. Any thread; valid until this
// thread's next call of it.
const char* lost_exception(std::size_t number) noexcept;

// What was wrong with the last call of this library that failed on this thread: a sentence, empty
// where there was none. Calls that succeed leave it. Valid until this thread's next call.
const char* last_error() noexcept;

}  // namespace anycuda::graph
