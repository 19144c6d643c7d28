// SPDX-License-Identifier: Apache-2.0

// A libdl.so that stubs are linked with, and that nothing loads. glibc 2.34 has moved these
// functions from libdl.so.2 to libc.so.6 under a new version: a stub that is linked with that libc
// needs glibc 2.34. Linked with this file first, it needs the versions that every glibc from 2.17
// on has in libdl.so.2.
void dlclose(void) {}
void dlerror(void) {}
void dlopen(void) {}
void dlsym(void) {}
