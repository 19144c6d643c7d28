// SPDX-License-Identifier: Apache-2.0

// A library as the unit tests' tables describe one; built once per major, with the SONAME and the
// symbol version that this major has. MAJOR 0 is the driver.
#if MAJOR == 0
#ifndef DRIVER_STATUS
#define DRIVER_STATUS 0
#endif
#ifndef DRIVER_MUTE
int cuDriverGetVersion(int* version) {
  *version = DRIVER_VERSION;
  return DRIVER_STATUS;
}
#endif
#else
#ifdef UNBOUND  // needs an undefined function: fails when it is called, or when all is bound
int testNobodyHasThis(void);
int testCore(void) { return testNobodyHasThis(); }
#else
int testCore(void) { return 1000 + MAJOR; }
#endif
unsigned testMajor(void) { return MAJOR; }
int testRejected(void) { return 0; }
static int last_error = 5;
static int lasting_error = 0;  // what the library has again after it was cleared
int testGetLastError(void) {
  int result = last_error;
  last_error = lasting_error;
  return result;
}
void testSetLastingError(int status) { lasting_error = status; }
int testPeekAtLastError(void) { return last_error; }
void testSetLastError(int status) { last_error = status; }
#if MAJOR >= 12
int testAdded(void) { return 0; }
#endif
#if MAJOR >= 13
int testNew(void) { return 2000 + MAJOR; }
#else
int testOld(void) { return 3000 + MAJOR; }
#endif
#endif
