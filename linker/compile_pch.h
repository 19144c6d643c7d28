// SPDX-License-Identifier: Apache-2.0

// Precompiled headers of NVRTC.
#pragma once

#include <shared_mutex>

#include "anycuda/linker/program.h"

struct _nvrtcProgram;

namespace anycuda::linker {

bool creates_pch(const ProgramOptions& options);
bool uses_pch(const ProgramOptions& options);  // creates one, or reads one

// The heap of NVRTC from which precompiled headers are written belongs to the process, and a new
// size frees it (NVRTC documentation, nvrtcSetPCHHeapSize). So each compilation that may use the
// heap holds this lock shared, and grow_pch_heap() holds it alone.
std::shared_mutex& pch_heap_lock();

// Whether a compilation with creates_pch() wrote the file; failed if the heap was too small, and
// then `needed` is the size in bytes that would do; otherwise it is 0.
PchStatus pch_status_of(::_nvrtcProgram* program, unsigned long* needed);

// Whether the heap now has this size.
bool grow_pch_heap(unsigned long bytes);

}  // namespace anycuda::linker
