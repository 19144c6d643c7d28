// SPDX-License-Identifier: Apache-2.0

// dpkg's records of installed packages, below /var/lib/dpkg. Pure, only libc, no allocation: all
// texts are parts of those that were given.
//
// Source: dpkg-query(1), dpkg(1): info/PACKAGE.list (PACKAGE:ARCHITECTURE.list where another
// architecture's may be installed beside it), a path a line; status, paragraphs as in deb822(5).
// Images without dpkg itself have a paragraph for each package in status.d/PACKAGE, and its files
// in status.d/PACKAGE.md5sums, as `md5sum` writes them.
#pragma once

#include <string_view>

#include "anycuda/compat/version.h"

namespace anycuda {

// The package of "libcudart12:amd64.list" or, with `end` ".md5sums", of "cuda-cudart-12-9.md5sums";
// empty for another file.
std::string_view parse_dpkg_list_name(std::string_view file, std::string_view end);

// Does a .list or .md5sums have the file? `path`: absolute.
bool dpkg_lists(std::string_view list, std::string_view path);

// The version in the package's paragraph; empty: it has none, or is not installed.
std::string_view dpkg_version(std::string_view status, std::string_view package);

// 12.9 of "cuda-cudart-12-9": how NVIDIA calls the parts of a toolkit.
Version release_in_name(std::string_view package);
// 12.4 of "12.4.127~12.4.1-2", from the part after the "~": Debian builds all packages of a toolkit
// from one source package, and appends its version.
Version release_behind_tilde(std::string_view version);

}  // namespace anycuda
