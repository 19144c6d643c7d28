// SPDX-License-Identifier: Apache-2.0

// An NVML that counts. INIT: what nvmlInit_v2 returns; undefined: there is no such function.
// VERSION: the driver's, as a text.
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
