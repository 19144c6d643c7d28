// SPDX-License-Identifier: Apache-2.0

// The packages in RPM's database that have a file.
#pragma once

#include "compat/search/toolkit/site_packages.h"

namespace anycuda {

// Adds the packages of a toolkit that list the file `real`, whose first `root` bytes stand for "/".
// Names and file lists of all packages are in one file of /var/lib/rpm or /usr/lib/sysimage/rpm:
// rpmdb.sqlite, before RHEL 9 Packages. SUSE's Packages.db is not read, only named in `problem`.
void find_rpm_owners(const char* real, int root, Sites* sites, Owners* owners);

}  // namespace anycuda
