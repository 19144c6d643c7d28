// SPDX-License-Identifier: Apache-2.0

// A library that has nothing to do with CUDA; `loaded_plain` says whether it is loaded.
extern "C" {
extern int loaded_plain;
__attribute__((constructor)) static void load() { ++loaded_plain; }
__attribute__((destructor)) static void unload() { --loaded_plain; }
}
