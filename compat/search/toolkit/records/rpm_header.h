// SPDX-License-Identifier: Apache-2.0

// RPM's header of an installed package, as its database has it: tags and their values. Pure, only
// libc, no allocation.
//
// Source: RPM's manual, "Package format", header: the numbers of entries and of the store's bytes;
// an entry is tag, type, offset in the store and count; numbers are big-endian. A file's path is
// DIRNAMES[DIRINDEXES[i]] + BASENAMES[i].
#pragma once

#include <string_view>

namespace anycuda {

// A zero follows each `header`.

// The package's name, a part of the header, which may be cut off behind it. Empty: it has none.
std::string_view rpm_name(std::string_view header);

// Does the package have the file? `path`: absolute.
bool rpm_lists(std::string_view header, std::string_view path);

}  // namespace anycuda
