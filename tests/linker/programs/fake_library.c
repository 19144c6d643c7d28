// SPDX-License-Identifier: Apache-2.0

/* The part of the fake driver (fake_driver.c) that loads libraries: two kernels and a variable in
 * each, whatever its code is. FAKE_DRIVER: load (fails there, with a log), jit (fails at the first
 * use), partial (a kernel lacks a symbol). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG, LOG_SIZE, OPTIONS };
enum { INVALID_VALUE = 1, INVALID_PTX = 218, NOT_FOUND = 500 };
struct library {
  char* log;
};
static const char* const names[] = {"_Z5scaleIfEvPT_", "run"};
static char kernels[2];
static char functions[2][2]; /* of each context */
static int loaded;

int cuCtxGetDevice(int* device);
int fake_fails(const char* step);

static void say(const char* text) {
  if (getenv("FAKE_DRIVER_QUIET") == NULL) printf("fake: %s\n", text);
}

static int load(struct library** out, unsigned count, const unsigned* keys, void** values) {
  /* CU_JIT_ERROR_LOG_BUFFER and its size. */
  if (count != OPTIONS || keys[LOG] != 5 || keys[LOG_SIZE] != 6) return INVALID_VALUE;
  if (fake_fails("load")) {
    strncpy(values[LOG], "ptxas does not like it", (size_t)values[LOG_SIZE]);
    return INVALID_PTX;
  }
  *out = malloc(sizeof **out);
  (*out)->log = values[LOG];
  ++loaded;
  return 0;
}

int cuLibraryLoadData(struct library** out, const char* code, unsigned* keys, void** values,
                      unsigned count, void* options, void** option_values, unsigned options_count) {
  char text[100];
  (void)options, (void)option_values, (void)options_count;
  snprintf(text, sizeof text, "load %.12s", code);
  say(text);
  return load(out, count, keys, values);
}
int cuLibraryLoadFromFile(struct library** out, const char* path, unsigned* keys, void** values,
                          unsigned count, void* options, void** option_values,
                          unsigned options_count) {
  char text[100];
  (void)options, (void)option_values, (void)options_count;
  snprintf(text, sizeof text, "load the file %.80s", strrchr(path, '/') + 1);
  say(text);
  return load(out, count, keys, values);
}
int cuLibraryUnload(struct library* library) {
  free(library);
  say(--loaded == 0 ? "unload, none is left" : "unload, SOME ARE LEFT");
  return 0;
}

int cuLibraryGetKernel(char** kernel, struct library* library, const char* name) {
  if (fake_fails("jit")) {
    strcpy(library->log, "ptxas does not like it now");
    return INVALID_PTX;
  }
  for (int i = 0; i < 2; ++i) {
    *kernel = kernels + i;
    if (strcmp(name, names[i]) == 0) return 0;
  }
  return NOT_FOUND;
}
int cuLibraryGetKernelCount(unsigned* count, struct library* library) {
  (void)library;
  *count = 2;
  return 0;
}
int cuLibraryEnumerateKernels(char** out, unsigned count, struct library* library) {
  (void)library;
  for (unsigned i = 0; i < count; ++i) out[i] = kernels + 1 - i;
  return 0;
}
int cuKernelGetName(const char** name, const char* kernel) {
  *name = names[kernel - kernels];
  return 0;
}
int cuLibraryGetGlobal(unsigned long long* address, size_t* bytes, struct library* library,
                       const char* name) {
  (void)library;
  if (strcmp(name, "table") != 0) return NOT_FOUND;
  *address = 4096;
  *bytes = 16;
  return 0;
}
int cuLibraryGetManaged(unsigned long long* address, size_t* bytes, struct library* library,
                        const char* name) {
  (void)library;
  if (strcmp(name, "shared") != 0) return NOT_FOUND;
  *address = 8192;
  *bytes = 4;
  return 0;
}

int cuKernelGetFunction(char** function, const char* kernel) {
  int device = 0;
  if (fake_fails("partial")) return NOT_FOUND;
  cuCtxGetDevice(&device);
  *function = &functions[device][kernel - kernels];
  return 0;
}
int cuKernelGetAttribute(int* value, unsigned attribute, const char* kernel, int device) {
  (void)kernel;
  *value = (int)attribute * 10 + device;
  return attribute > 15 ? INVALID_VALUE : 0;
}
int cuKernelSetAttribute(unsigned attribute, int value, const char* kernel, int device) {
  char text[100];
  (void)kernel;
  snprintf(text, sizeof text, "set %u to %d on device %d", attribute, value, device);
  say(text);
  return 0;
}
int cuKernelGetParamInfo(const char* kernel, size_t index, size_t* offset, size_t* bytes) {
  (void)kernel;
  *offset = index * 8;
  *bytes = index == 0 ? 8 : 4;
  return index < 2 ? 0 : INVALID_VALUE;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const char* kernel, int block,
                                                size_t shared) {
  *blocks = block + (int)shared + (kernel == kernels ? 0 : 1000000);
  return block > 0 ? 0 : INVALID_VALUE;
}
int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, const char* kernel,
                                     size_t (*shared_of)(int), size_t shared, int limit) {
  (void)kernel;
  *grid = shared_of != NULL ? (int)shared_of(32) : (int)shared;
  *block = limit;
  return 0;
}
int cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const char* kernel, int blocks,
                                            int block) {
  (void)kernel;
  *bytes = (size_t)blocks * 1000 + (size_t)block;
  return 0;
}
/* CUlaunchConfig, up to its attributes; the first attribute's number, and the cluster in it. */
struct attribute {
  unsigned id;
  char pad[4];
  unsigned cluster[3];
};
struct launch {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void* stream;
  const struct attribute* attributes;
  unsigned count;
};
int cuOccupancyMaxPotentialClusterSize(int* size, const char* kernel, const struct launch* launch) {
  (void)kernel;
  *size = (int)(launch->grid[0] + launch->block[2] + launch->shared + launch->count * 1000000);
  return 0;
}
int cuOccupancyMaxActiveClusters(int* clusters, const char* kernel, const struct launch* launch) {
  (void)kernel;
  *clusters = 0;
  if (launch->count == 1 && launch->attributes->id == 4) {
    const unsigned* cluster = launch->attributes->cluster;
    *clusters = (int)(cluster[0] * 100 + cluster[1] * 10 + cluster[2]);
  }
  return 0;
}
