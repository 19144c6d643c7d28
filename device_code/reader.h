// SPDX-License-Identifier: Apache-2.0

// Device code in the bytes of any file: libraries, programs, objects and static archives of the
// host, and fatbins, cubins, PTX and LTO-IR as files.
#pragma once

#include "device_code/entry.h"

namespace anycuda::device_code {

enum class FileKind { host_elf, archive, fatbin, cubin, ptx, lto_ir, other };

// Calls the visitor for each entry and for each problem; returns what the file is. Files without
// sections and of other kinds are searched for device code from end to end. Reads each byte a few
// times at most, even if the file's headers are wrong.
FileKind read(Bytes file, const Visitor& visitor);

}  // namespace anycuda::device_code
