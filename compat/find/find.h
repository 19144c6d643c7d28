// SPDX-License-Identifier: Apache-2.0

// The components of CUDA that the guard rails (compat/library/) find in this process, for
// `anycuda find`. The answer is records (compat/doctor/record_writer.h), written to `file`, the
// caller's open file descriptor. Nothing is loaded, and the driver is not asked.
#pragma once

#define ANYCUDA_FIND_API extern "C" __attribute__((visibility("default")))

// words: a version constraint ("": none), a kind ("": for each name the first kind that has it),
// then names. The kinds are library, program, static, bitcode and headers. All names are asked of
// one instance of the guard rails, in the mode best_effort: so they must go together. Without a
// name: the names of the catalogue.
//   name     name= kind=
//   found    name= kind= path= place= major= minor= source= file= problem= package=
//   failed   name= kind= type= text=      followed by
//   searched path=
//   refused  text=                        an invalid setting, constraint, kind or name: no `found`
//   warning  text=
// `place`: the enumerators of Found (anycuda/compat/find.h); the other fields as in ToolkitAnswer
// (anycuda/compat/metadata.h). `type`: not_found, mismatch or other.
//
// Returns 0, or EINVAL: fewer than two words; ENOMEM; EIO: a part of the answer could not be
// written. Throws nothing; thread-safe.
ANYCUDA_FIND_API int anycuda_find(int count, const char* const* words, int file);
