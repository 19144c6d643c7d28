// SPDX-License-Identifier: Apache-2.0

// Static archives (ar).
#pragma once

#include "device_code/entry.h"

namespace anycuda::device_code {

bool is_archive(Bytes file);
// Members lie in other files, which it only names.
bool is_thin_archive(Bytes file);

enum class NextMember { found, end, damaged };
constexpr std::size_t kFirstMember = 8;
// Reads the member at *at and moves *at past it.
NextMember next_member(Bytes archive, std::size_t* at, Bytes* member);

}  // namespace anycuda::device_code
