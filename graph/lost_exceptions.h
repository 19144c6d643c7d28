// The exceptions of host callbacks, which no one can catch.
#pragma once

namespace anycuda::graph {

// On a thread of the driver. Needs no memory: it may be std::bad_alloc that was thrown.
void keep_exception(const char* text) noexcept;

}  // namespace anycuda::graph
