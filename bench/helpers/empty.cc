// SPDX-License-Identifier: Apache-2.0

// A program, or a library, that does nothing: linked to a library it shows what loading that
// library costs at start; as a library it shows what dlopen itself costs.
#include <unistd.h>

#ifdef PROGRAM
int main() { _exit(0); }
#endif
