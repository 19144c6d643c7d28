// SPDX-License-Identifier: Apache-2.0

// Detects an input's type from its first bytes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "anycuda/linker/input.h"

namespace anycuda::linker {

// How many bytes of a file are read to detect its type: PTX may begin with a long comment.
constexpr std::size_t kHead = std::size_t{64} << 10;
// How many bytes of a file are read for its contents.
constexpr std::size_t kWhole = std::size_t{1} << 30;

// ptx, cubin, fatbin, object, library or lto_ir; nullopt for any other content.
std::optional<InputType> detect_type(std::string_view bytes);

// The least size of the input by its header: up to the end of an ELF's tables, or of a fatbin's
// content; 0 for other types. nvJitLink 12.9 crashes or hangs on many truncated CUBINs and fatbins.
std::uint64_t least_size(std::string_view head);

// Whether detect_type() recognises every usable input of this type. Other types also have forms
// without a magic number.
bool has_magic(InputType type);

// Whether an input of declared type `type` may be detected as `seen`.
bool is_compatible(InputType type, InputType seen);

}  // namespace anycuda::linker
