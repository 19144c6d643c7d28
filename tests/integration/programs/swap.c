// SPDX-License-Identifier: Apache-2.0

/* Preloaded, it is the one who changes a file between the moment in which it was examined and the
 * one in which it is opened: the link SWAP_LINK then leads to SWAP_TARGET. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void* dlopen(const char* path, int flags) {
  void* (*next)(const char*, int) = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  const char* link = getenv("SWAP_LINK");
  if (link != NULL && path != NULL && strcmp(path, link) == 0 && (flags & RTLD_NOLOAD) == 0) {
    unlink(link);
    if (symlink(getenv("SWAP_TARGET"), link) != 0) abort();
  }
  return next(path, flags);
}
