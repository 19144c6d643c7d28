// Texture and surface references (emulated: references.cc) and the rest of the stub.
#pragma once

namespace anycuda::references {

// From now on launches of callers built for 11 come through us, as soon as there is a reference
// whose settings could change (references_launches.cc).
void look_at_launches();

// The slots of `name` that callers of that major use lead to `function` from now on, where they led
// straight to the library (references_slots.cc).
void lead_slots(const char* name, int caller_major, void* function);

}  // namespace anycuda::references
