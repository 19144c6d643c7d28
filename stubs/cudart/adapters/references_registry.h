// SPDX-License-Identifier: Apache-2.0

// Texture and surface references that objects built by nvcc 11 have registered, for runtimes
// without them (12 and later). The driver has them, by module and name; a module is found through a
// kernel of the same fat binary, so the first kernel of each is kept, too.
//
// Static constructors call this thousands of times, from any thread, and while a runtime takes
// registrations: nothing here waits, takes a lock or calls a library. A reference that does not fit
// into memory is not kept, and is then invalid.
#pragma once

namespace anycuda::references {

// (Copies of the stub of other versions read it: docs/copies.md.)
struct Reference {
  const void* host;   // the textureReference or surfaceReference in the program
  void** fat_binary;  // the runtime's handle
  const char* name;   // in the device code
  int dimensions;     // nvcc's value: 1, 2, 3, or a kind of cubes or layers
  bool surface;
  bool normalized;  // integers are read as fractions of their range
  bool external;    // declared here, defined elsewhere
};

void add_fat_binary(void** handle);
void add_kernel(void** fat_binary, const void* host_function);
void add_reference(const Reference& reference);
// Forgets a fat binary, its kernel and its references. To be called before the runtime forgets it,
// which may give the same handle to the next one.
void remove_fat_binary(void** handle);

// What follows asks the copy of the stub that leads, since objects are registered with that one.
// The reference that lies at that address, nullptr if none is registered.
const Reference* find_texture(const void* host);
const Reference* find_surface(const void* host);
// Is it still registered?
bool registered(const Reference& reference);
// The host function of a kernel of that fat binary, nullptr if it has none.
const void* kernel_of(void** fat_binary);

}  // namespace anycuda::references
