// SPDX-License-Identifier: Apache-2.0

// The owners of a file outside of wheels: the packages of conda, dpkg or RPM that list it.
#pragma once

#include "compat/search/toolkit/site_packages.h"

namespace anycuda {

// `path`: absolute, as text without "..". `real`: where it really is, or nullptr.
//
// conda: by PREFIX/conda-meta of the nearest root that has an owner, by the path as it is given,
// then by the real path (a prefix that is reached by a link).
Owners conda_owners_of(const char* path, const char* real, Sites* sites);
// dpkg and RPM: by the real path, below the root: their lists have links and files, and the owner
// is the package that has the file. A system has thousands of packages, whose lists are in one
// folder or one database.
Owners system_owners_of(const char* real, Manager manager, Sites* sites);

}  // namespace anycuda
