/* Loaded by the dynamic loader through LD_AUDIT into programs on a Machine, on computers that have
   CUDA of their own. Programs and CUDA's libraries open "libcuda.so.1" and the like by such plain
   names, and no environment variable can hide what lies in the system's folders. Of these the fence
   lets through what the tests brought: files below the machine (ANYCUDA_TEST_FENCE), the build and
   the cache, which may lie there, too. */
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

/* Where ld.so.cache and the dynamic loader's own folders lead. */
static int is_the_systems(const char* path) {
  static const char* const folders[] = {"/lib", "/usr/", "/opt/", "/run/"};
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
  if (!is_of_cuda(slash + 1) || !is_the_systems(name)) return (char*)name;
  const int brought = begins_with(name, getenv("ANYCUDA_TEST_FENCE")) ||
                      begins_with(name, ANYCUDA_BUILD) || begins_with(name, ANYCUDA_CACHE_FOLDER);
  return brought ? (char*)name : NULL;
}
