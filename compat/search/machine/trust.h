// SPDX-License-Identifier: Apache-2.0

// The users whose files a process may load without being told to.
#pragma once

#include <sys/types.h>

#include "compat/base/arena.h"

namespace anycuda {

// Can only root, the process's user and `owner` change the contents of `folder`/`below`? Every
// folder from `folder` down to the last of `below` ("nvidia/cudart/lib") must belong to one of the
// three and be writable only for them; a group that is root's, or has the number of
// the owner (as distributions give each user a group), counts as the owner, unless an access
// control list names others beside it. Folders and files that cannot be examined are not trusted.
bool only_trusted_can_write(const char* folder, const char* below, uid_t owner, Arena* arena);

// The same for one file or folder.
bool only_trusted_can_write(const char* path, uid_t owner);

// Of that file; root without one.
uid_t owner_of(const char* file);

}  // namespace anycuda
