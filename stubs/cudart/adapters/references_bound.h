// SPDX-License-Identifier: Apache-2.0

// The bindings of texture references. A program changes the settings of one (filter, addressing) by
// writing to its textureReference. The runtime of 11.8 passes them to the driver only at launches,
// at every launch (read in its machine code), so changes made after binding count. Here they are
// passed when the reference is bound, and at a launch if they have changed since.
#pragma once

#include "stubs/cudart/adapters/references_format.h"
#include "stubs/cudart/adapters/references_registry.h"

namespace anycuda::references {

// Of a context, never given again: one that was destroyed and made anew is another one.
using ContextId = unsigned long long;

// Words of a textureReference that are settings; what follows is reserved.
constexpr unsigned kSettings = 17;

// A texture reference in one context. A program must synchronise two threads that use the same one,
// but this code must not break if it does not.
struct Bound {
  const Reference* reference;
  ContextId context;
  Bound* next;
  std::atomic<bool> bound;   // to something
  std::atomic<bool> linear;  // to memory: then there is an offset
  std::atomic<std::size_t> offset;
  std::atomic<driver::CUarray_format> format;
  std::atomic<bool> stale;  // the settings below are not what the driver has
  std::atomic<std::uint32_t> settings[kSettings];
};

// The one of that reference and context; nullptr without memory.
Bound* bound_in(const Reference& reference, ContextId context);

void set_unbound(Bound* bound);
// Called after the driver's bind: stores the binding of `texture`. `offset`: nullptr for arrays.
// Passes the settings to the driver if they are valid; if not, a launch reports that.
void set_bound(Bound* bound, driver::CUtexref texture, driver::CUarray_format format,
               const std::size_t* offset);

// Gives the driver the settings that have changed. An error is the launch's.
Status settings_for_launch();

}  // namespace anycuda::references
