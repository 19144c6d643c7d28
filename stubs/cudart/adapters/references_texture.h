// SPDX-License-Identifier: Apache-2.0

// A texture reference as the functions about it need it.
#pragma once

#include "stubs/cudart/adapters/references_bound.h"

namespace anycuda::references {

struct Texture {
  const Reference* reference = nullptr;
  driver::CUtexref handle = nullptr;
  Bound* bound = nullptr;

  const v11::textureReference& host() const {
    return *static_cast<const v11::textureReference*>(reference->host);
  }
};

// The reference at that address in the current context. Its error is not yet the last one.
Status find(const void* host, Texture* texture);
void unbind(const Texture& texture);

}  // namespace anycuda::references
