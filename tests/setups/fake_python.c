// SPDX-License-Identifier: Apache-2.0

/* A libpython in a program of another name: FAKE_PYTHON_PREFIX is the prefix of a Python that was
 * started; without it, none was. */
#include <stdlib.h>
#include <wchar.h>

int Py_IsInitialized(void) { return getenv("FAKE_PYTHON_PREFIX") != NULL; }

wchar_t* Py_GetPrefix(void) {
  static wchar_t prefix[4096];
  const char* text = getenv("FAKE_PYTHON_PREFIX");
  size_t i;
  for (i = 0; text != NULL && text[i] != '\0' && i < 4095; ++i) prefix[i] = (unsigned char)text[i];
  prefix[i] = L'\0';
  return prefix;
}
