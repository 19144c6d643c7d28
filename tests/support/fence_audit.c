// SPDX-License-Identifier: Apache-2.0

/* Loaded by the dynamic loader through LD_AUDIT into programs on a Machine, on computers that have
   CUDA of their own. Programs and CUDA's libraries open "libcuda.so.1" and the like by such plain
   names, and no environment variable can hide what the dynamic loader finds then. Here it finds
   only what the tests brought. */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

unsigned int la_version(unsigned int version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static int begins_with(const char* text, const char* beginning) {
  return beginning != NULL && strncmp(text, beginning, strlen(beginning)) == 0;
}

static int is_of_cuda(const char* file) {
  static const char* const names[] = {"libcuda.so",           "libcudart.so",    "libnvrtc.so",
                                      "libnvrtc-builtins.so", "libnvJitLink.so", "libnvidia-"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (begins_with(file, names[i])) return 1;
  }
  return 0;
}

/* By the tests: below the machine, the build and the cache, and in folders of single tests. */
static int is_brought(const char* path) {
  static const char* const folders[] = {ANYCUDA_BROUGHT, "/tmp/"};
  if (begins_with(path, getenv("ANYCUDA_TEST_FENCE"))) return 1;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    if (begins_with(path, folders[i])) return 1;
  }
  return 0;
}

char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  (void)cookie;
  const char* slash = strrchr(name, '/');
  /* A bare name is only the start of a search; what the search tries comes here again with its
   * folder. */
  if (slash == NULL || flag == LA_SER_ORIG) return (char*)name;
  return is_of_cuda(slash + 1) && !is_brought(name) ? NULL : (char*)name;
}
