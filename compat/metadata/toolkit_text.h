// SPDX-License-Identifier: Apache-2.0

// Describes a decision about a file's toolkit. Texts live in the arena, or are static.
#pragma once

#include "compat/metadata/toolkit_facts.h"

namespace anycuda {

// Why it has no version: all that was looked at.
const char* describe_unknown(const ToolkitFacts& facts, const ToolkitDecision& decision,
                             Arena* arena);
// The only package that owns the file, with its version: "wheel nvidia-cublas 13.1.0.3"; "" without
// one, or with several.
const char* describe_owner(const ToolkitFacts& facts, Arena* arena);
// The source of the version: "cuda.h", "wheel nvidia-cublas 13.1.0.3, pinned by
// cuda-toolkit 13.0.2".
const char* describe_source(const ToolkitFacts& facts, const ToolkitDecision& decision,
                            Arena* arena);

}  // namespace anycuda
