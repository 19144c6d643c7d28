// SPDX-License-Identifier: Apache-2.0

// A result from the cache, or made and stored.
#pragma once

#include <string>

#include "linker/cache/keys.h"
#include "linker/cache/store.h"

namespace anycuda::linker {

// `make` does the work and gives its fields; what it throws is not stored. `key_of` is called again
// after the work: an input file may have changed, or NVRTC opened another file of its built-in
// functions than the expected one.
template <typename KeyOf, typename Make>
Fields through(Store* store, KeyOf key_of, Make make) {
  if (store == nullptr || !store->enabled()) return make();
  const Key key = key_of();
  if (key.problem != Problem::none) {
    store->count_uncacheable(key.problem);
    return make();
  }
  if (std::optional<Fields> found = store->find(key.bytes)) return *std::move(found);
  Fields made = make();
  if (key_of().bytes == key.bytes) {
    store->put(key.bytes, made);
  } else {
    store->count_uncacheable(Problem::changed);
  }
  return made;
}

}  // namespace anycuda::linker
