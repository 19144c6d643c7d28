// SPDX-License-Identifier: Apache-2.0

// A library with nothing but the symbol by which a stub opens its library at load time
// (loader/at_load.cc). `anycuda patch --open-at-load` makes a file need it.
extern "C" {
__attribute__((visibility("default"))) extern const char anycuda_open_at_load[];
const char anycuda_open_at_load[] = "";
}
