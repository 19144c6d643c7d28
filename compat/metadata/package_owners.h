// SPDX-License-Identifier: Apache-2.0

// The owners of a file outside of wheels: the packages of conda or dpkg that list it.
#pragma once

#include "compat/metadata/site_packages.h"

namespace anycuda {

// `path`: absolute, as text without "..". `real`: where it really is, or nullptr.
//
// conda: by PREFIX/conda-meta of the nearest root that has an owner, by the path as it is given,
// then by the real path (a prefix that is reached by a link).
Owners conda_owners_of(const char* path, const char* real, Sites* sites);
// dpkg: by the real path, below the root: its lists have links and files, and the owner is the
// package that has the file. A system has thousands of packages, whose lists are in one folder.
Owners dpkg_owners_of(const char* real, Sites* sites);

}  // namespace anycuda
