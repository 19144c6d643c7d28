// SPDX-License-Identifier: Apache-2.0

// An NVML that counts. INIT: what nvmlInit_v2 returns; undefined: there is no such function.
// VERSION: the driver's, as a text. GPU: the compute capability of the only GPU, 75 for 7.5.
#include <string.h>

int nvml_inits;
int nvml_shutdowns;

#ifdef INIT
int nvmlInit_v2(void) {
  ++nvml_inits;
  return INIT;
}
#endif
int nvmlShutdown(void) {
  ++nvml_shutdowns;
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  strncpy(text, VERSION, size);
  return 0;
}
const char* nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "?"; }

#ifdef GPU
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &nvml_inits;
  return index == 0 ? 0 : 2;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = GPU / 10;
  *minor = GPU % 10;
  return device == &nvml_inits ? 0 : 2;
}
#endif
