// What bytes are, by how they begin. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "anycuda/linker/input.h"

namespace anycuda::linker {

// How much of a file is looked at: PTX may begin with a long comment.
constexpr std::size_t kHead = std::size_t{64} << 10;
// How much of a file is read for what it holds.
constexpr std::size_t kWhole = std::size_t{1} << 30;

// ptx, cubin, fatbin, object, library, lto_ir, or nothing.
std::optional<InputType> detect_type(std::string_view bytes);

// How long what begins so is at least, by its own header: the end of an ELF's tables, of a fatbin's
// content. nvJitLink 12.9 crashes or hangs on many a CUBIN and fatbin that is cut.
std::uint64_t least_size(std::string_view head);

// Must a usable input of this type be detected as it? Of the others some kinds have no magic.
bool has_magic(InputType type);

// Is `seen` what an input of this type may be?
bool is_compatible(InputType type, InputType seen);

}  // namespace anycuda::linker
