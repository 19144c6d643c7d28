// SPDX-License-Identifier: Apache-2.0

// Texture and surface references (emulated: references.cc) and the rest of the stub.
#pragma once

namespace anycuda::references {

// From now on launches of callers built for 11 go through the stub, as soon as a reference exists
// whose settings could change (references_launches.cc).
void look_at_launches();

// From now on the slots of `name` for callers of that major lead to `function` instead of the
// library (references_slots.cc).
void lead_slots(const char* name, int caller_major, void* function);

}  // namespace anycuda::references
