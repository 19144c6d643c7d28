// SPDX-License-Identifier: Apache-2.0

// A symbol in the objects of this process, found without the dynamic linker's look-up, whose order
// differs from object to object.
#pragma once

namespace anycuda {

// Visits the objects in the order in which they were loaded, up to the one that holds `end`, and
// returns the address of the first symbol of that name which `fits`; nullptr: not found.
// `fits` runs under the dynamic linker's lock.
const void* symbol_loaded_before(const void* end, const char* name, bool (*fits)(const void*));

}  // namespace anycuda
