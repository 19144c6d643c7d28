// SPDX-License-Identifier: Apache-2.0

/* A driver library whose linker behaves as the documentation allows and no test could otherwise
 * force: it writes into the log buffers and into the option values at every call, cuLinkDestroy
 * last of all, and asks the program (child_is_live) whether they live. FAKE_DRIVER: create, add,
 * complete (fails there), log (fills the log), junk (gives no CUBIN), context (none is current),
 * gpu (cuInit finds none); fake_library.c has more. FAKE_DRIVER_VERSION: 13000. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What every driver must have. */
#define CORE(name)             \
  int name(void) { return 0; } \
  extern int name(void)
CORE(cuCtxSynchronize);
CORE(cuDeviceGet);
CORE(cuDeviceGetCount);
CORE(cuDeviceGetName);
CORE(cuEventCreate);
CORE(cuEventRecord);
CORE(cuEventSynchronize);
CORE(cuGetErrorString);
CORE(cuLaunchKernel);
CORE(cuMemAlloc_v2);
CORE(cuMemFree_v2);
CORE(cuMemcpyDtoH_v2);
CORE(cuMemcpyHtoD_v2);
CORE(cuModuleGetFunction);
CORE(cuModuleLoadData);
CORE(cuModuleLoadDataEx);
CORE(cuModuleUnload);
CORE(cuStreamCreate);
CORE(cuStreamDestroy_v2);
CORE(cuStreamSynchronize);

enum { INFO, INFO_SIZE, ERROR, ERROR_SIZE, LOGS };
struct link {
  unsigned count;
  unsigned* keys;
  void** values;
  size_t room[LOGS];
  char* cubin;
};
static int links;

int fake_fails(const char* step) {
  const char* fault = getenv("FAKE_DRIVER");
  return fault != NULL && strcmp(fault, step) == 0;
}

static void event(const char* name, const struct link* link, const char* more) {
  int (*is_live)(const void*) = (int (*)(const void*))dlsym(RTLD_DEFAULT, "child_is_live");
  int live = is_live == NULL || (is_live(link->keys) && is_live(link->values) &&
                                 is_live(link->values[INFO]) && is_live(link->values[ERROR]));
  if (getenv("FAKE_DRIVER_QUIET") == NULL || !live)
    printf("fake: %s%s%s\n", name, more, live ? "" : ", DEAD MEMORY");
  if (!live) exit(9);
}

/* Fills the logs to the last byte of their sizes, and returns the sizes. */
static void write_logs(struct link* link, const char* text) {
  for (int i = INFO; i <= ERROR; i += 2) {
    size_t room = link->room[i + 1];
    memset(link->values[i], 0, room);
    if (fake_fails("log")) {
      memset(link->values[i], 'x', room);
    } else {
      strncpy(link->values[i], text, room - 1);
    }
    link->values[i + 1] = (void*)strlen(text);
  }
}

int cuInit(unsigned flags) { return fake_fails("gpu") ? 100 : (int)flags; }
int cuDriverGetVersion(int* version) {
  const char* number = getenv("FAKE_DRIVER_VERSION");
  *version = number != NULL ? atoi(number) : 12040;
  return 0;
}
/* Two devices, sm_90 and sm_80; the context of the first is current unless another is set. */
static char contexts[2];
static _Thread_local char* current = contexts;
int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = contexts + device;
  return 0;
}
int cuCtxSetCurrent(void* context) {
  current = context;
  return 0;
}
int cuCtxGetCurrent(void** context) {
  *context = fake_fails("context") ? NULL : current;
  return 0;
}
int cuCtxGetDevice(int* device) {
  *device = (int)(current - contexts);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == 75 ? 9 - device : 0;
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 1 ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_SOMETHING";
  return 0;
}

int cuLinkCreate_v2(unsigned count, unsigned* keys, void** values, void** state) {
  struct link* link = calloc(1, sizeof *link);
  link->count = count;
  link->keys = keys;
  link->values = values;
  for (int i = 0; i < LOGS; ++i) link->room[i] = (size_t)values[i];
  event("create", link, fake_fails("create") ? " fails" : "");
  for (unsigned i = LOGS; i < count && getenv("FAKE_DRIVER_QUIET") == NULL; ++i)
    printf("fake: option %u=%zu\n", keys[i], (size_t)values[i]);
  write_logs(link, "created");
  *state = link;
  if (!fake_fails("create")) return links++, 0;
  free(link);
  return 1;
}
int cuLinkAddData_v2(void* state, unsigned type, void* data, size_t size, const char* name,
                     unsigned count, unsigned* keys, void** values) {
  char text[200];
  (void)count, (void)keys, (void)values;
  snprintf(text, sizeof text, " %s type %u size %zu ends with zero %d", name, type, size,
           ((char*)data)[size - 1] == '\0');
  event("add", state, text);
  write_logs(state, name);
  return fake_fails("add") ? 218 : 0;
}
int cuLinkAddFile_v2(void* state, unsigned type, const char* path, unsigned count, unsigned* keys,
                     void** values) {
  char text[200];
  (void)count, (void)keys, (void)values;
  snprintf(text, sizeof text, " file %s type %u", strrchr(path, '/') + 1, type);
  event("add", state, text);
  return 0;
}
int cuLinkComplete(void* state, void** cubin, size_t* size) {
  struct link* link = state;
  event("complete", link, "");
  write_logs(link, "completed");
  if (fake_fails("complete")) return 222;
  link->cubin = calloc(1, 64);
  memcpy(link->cubin, fake_fails("junk") ? "junk" : "\177ELF", 4);
  link->cubin[18] = (char)190;
  *cubin = link->cubin;
  *size = 64;
  return 0;
}
int cuLinkDestroy(void* state) {
  struct link* link = state;
  write_logs(link, "destroyed");
  --links;
  event("destroy", link, links == 0 ? ", none is left" : ", SOME ARE LEFT");
  if (link->cubin != NULL) memset(link->cubin, 0xdd, 64);
  free(link->cubin);
  free(link);
  return 0;
}
