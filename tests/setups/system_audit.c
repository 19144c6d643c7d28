// SPDX-License-Identifier: Apache-2.0

/* Loaded through LD_AUDIT into the processes of a set-up: where the dynamic linker would look for
   CUDA and the driver in this computer's /etc/ld.so.cache and system folders, it looks in the
   machine's. Nothing else of its search changes. */
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned int la_version(unsigned int version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static int is_of_cuda(const char* file) {
  return strncmp(file, "libcud", 6) == 0 || strncmp(file, "libnv", 5) == 0;
}

/* ANYCUDA_SETUP_CACHE is the machine's ld.so.cache:
 * "libcudart.so.12=/usr/local/...:libcuda.so.1=...". */
static int in_cache(const char* file, char* path, const char* root) {
  const char* entry = getenv("ANYCUDA_SETUP_CACHE");
  const size_t length = strlen(file);
  while (entry != NULL && *entry != '\0') {
    const size_t end = strcspn(entry, ":");
    if (strncmp(entry, file, length) == 0 && entry[length] == '=') {
      snprintf(path, PATH_MAX, "%s%.*s", root, (int)(end - length - 1), entry + length + 1);
      return 1;
    }
    entry += end + (entry[end] == ':');
  }
  return 0;
}

char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  static __thread char path[PATH_MAX];
  const char* root = getenv("ANYCUDA_SYSTEM_ROOT");
  const char* slash = strrchr(name, '/');
  (void)cookie;
  if (slash == NULL || root == NULL || !is_of_cuda(slash + 1)) return (char*)name;
  if (flag != LA_SER_CONFIG && flag != LA_SER_DEFAULT) return (char*)name;
  if (in_cache(slash + 1, path, root)) return path;
  if (flag == LA_SER_CONFIG)
    return NULL; /* this computer's cache knows one, the machine's does not */
  snprintf(path, sizeof path, "%s%s", root, name);
  return path;
}
