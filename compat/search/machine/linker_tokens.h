// SPDX-License-Identifier: Apache-2.0

// $ORIGIN, $LIB and $PLATFORM, which the dynamic linker replaces in search paths, in what is passed
// to dlopen() and nowhere else.
//
// Source: ld.so(8), "Dynamic string tokens". A token ends before a character that is not of a name,
// or is in braces.
#pragma once

#include <string_view>

#include "compat/base/arena.h"

namespace anycuda {

// Would dlopen() open another file than `path` names?
bool has_linker_tokens(const char* path);

// `text` with the tokens replaced, in `arena`; nullptr without memory, or where it has $ORIGIN and
// `origin` is empty.
const char* expand_linker_tokens(std::string_view text, std::string_view origin, Arena* arena);

// The folder of `file`, "" for nullptr.
std::string_view origin_of(const char* file);

}  // namespace anycuda
