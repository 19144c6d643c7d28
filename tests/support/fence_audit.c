/* Loaded by the dynamic loader through LD_AUDIT into programs on a Machine, on computers that have
   an NVIDIA driver. Real CUDA libraries open "libcuda.so.1" by that plain name, and no environment
   variable can hide one that lies in the system's folders. */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

unsigned int la_version(unsigned int version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  (void)cookie;
  const char* slash = strrchr(name, '/');
  /* A bare name is only the start of a search; what the search tries comes here again with its
   * folder. */
  if (slash == NULL || flag == LA_SER_ORIG) return (char*)name;
  if (strncmp(slash + 1, "libcuda.so", strlen("libcuda.so")) != 0) return (char*)name;
  const char* inside = getenv("ANYCUDA_TEST_FENCE");
  return inside != NULL && strncmp(name, inside, strlen(inside)) == 0 ? (char*)name : NULL;
}
