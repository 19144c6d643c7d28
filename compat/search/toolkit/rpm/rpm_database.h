// SPDX-License-Identifier: Apache-2.0

// The headers of all packages in RPM's database: rpmdb.sqlite, or Packages of Berkeley DB.
#pragma once

#include "compat/search/toolkit/rpm/paged_file.h"

namespace anycuda {

using RpmVisit = void (*)(PagedValue* header, void* argument);

// Calls visit() for each; records/rpm_header.h reads a header. `file`: of a known format. False: it
// is damaged.
bool each_rpm_header(PagedFile* file, RpmVisit visit, void* argument);

}  // namespace anycuda
