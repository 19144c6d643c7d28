// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/adapters/references_bound.h"

#include <cstdlib>

#include "stubs/cudart/adapters/references_handles.h"

namespace anycuda::references {
namespace {

std::atomic<Bound*> all_bound{nullptr};

Bound* search(Bound* from, const Bound* end, const Reference& reference, ContextId context) {
  for (Bound* one = from; one != end; one = one->next) {
    if (one->reference == &reference && one->context == context) return one;
  }
  return nullptr;
}

const v11::textureReference& host_of(const Bound& bound) {
  return *static_cast<const v11::textureReference*>(bound.reference->host);
}

struct Settings {
  std::uint32_t words[kSettings];
};
static_assert(sizeof(Settings) == __builtin_offsetof(v11::textureReference, __cudaReserved));

Settings settings_of(const Bound& bound) {
  Settings settings;
  std::memcpy(&settings, &host_of(bound), sizeof settings);
  return settings;
}

bool changed(const Bound& bound) {
  if (bound.stale.load(std::memory_order_acquire)) return true;
  const Settings now = settings_of(bound);
  for (unsigned i = 0; i < kSettings; ++i) {
    if (bound.settings[i].load(std::memory_order_relaxed) != now.words[i]) return true;
  }
  return false;
}

int dimensions_of(const Reference& reference) {
  switch (reference.dimensions) {
    case v11::cudaTextureType1D:
    case v11::cudaTextureType1DLayered:
      return 1;
    case v11::cudaTextureType2D:
    case v11::cudaTextureType2DLayered:
      return 2;
    case v11::cudaTextureType3D:
    case v11::cudaTextureTypeCubemap:
    case v11::cudaTextureTypeCubemapLayered:
      return 3;
    default:
      return 0;
  }
}

// The flags of a driver's texture reference; an error for settings that make 11.8 refuse a launch.
Status flags_of(const Bound& bound, const v11::textureReference& host, unsigned* flags) {
  const driver::CUarray_format format = bound.format.load(std::memory_order_relaxed);
  *flags = host.normalized != 0 ? driver::CU_TRSF_NORMALIZED_COORDINATES : 0;
  if (host.sRGB != 0) *flags |= driver::CU_TRSF_SRGB;
  if (host.disableTrilinearOptimization != 0) {
    *flags |= driver::CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  }
  if (format == driver::CU_AD_FORMAT_HALF || format == driver::CU_AD_FORMAT_FLOAT) return 0;
  if (bound.reference->normalized) {
    return bytes_of(format) > 2 ? v11::cudaErrorInvalidNormSetting : 0;
  }
  *flags |= driver::CU_TRSF_READ_AS_INTEGER;
  return host.filterMode == v11::cudaFilterModeLinear ? v11::cudaErrorInvalidFilterSetting : 0;
}

// In the order in which 11.8 does it.
Status give(const Bound& bound, const Settings& settings, driver::CUtexref texture) {
  v11::textureReference host = {};
  std::memcpy(&host, &settings, sizeof settings);
  unsigned flags = 0;
  Status status = flags_of(bound, host, &flags);
  if (status == 0) status = driver::cuTexRefSetFlags(texture, flags);
  if (status == 0) status = driver::cuTexRefSetFilterMode(texture, host.filterMode);
  if (status == 0) status = driver::cuTexRefSetMipmapFilterMode(texture, host.mipmapFilterMode);
  if (status == 0) status = driver::cuTexRefSetMipmapLevelBias(texture, host.mipmapLevelBias);
  if (status == 0) {
    status = driver::cuTexRefSetMipmapLevelClamp(texture, host.minMipmapLevelClamp,
                                                 host.maxMipmapLevelClamp);
  }
  if (status == 0) status = driver::cuTexRefSetMaxAnisotropy(texture, host.maxAnisotropy);
  for (int i = 0; status == 0 && i < dimensions_of(*bound.reference); ++i) {
    status = driver::cuTexRefSetAddressMode(texture, i, host.addressMode[i]);
  }
  return status;
}

Status give_settings(Bound* bound, driver::CUtexref texture) {
  if (bound->reference->external) return 0;  // as in 11.8: the defining object has the settings
  bound->stale.store(true, std::memory_order_release);
  const Settings settings = settings_of(*bound);
  const Status status = give(*bound, settings, texture);
  if (status != 0) return status;
  for (unsigned i = 0; i < kSettings; ++i) {
    bound->settings[i].store(settings.words[i], std::memory_order_relaxed);
  }
  bound->stale.store(false, std::memory_order_release);
  return 0;
}

// The context that a launch of this thread is for. The runtime makes it this thread's at the first
// call that needs one, which the launch itself may be.
bool context_of_launch(ContextId* context) {
  if (driver::cuCtxGetId(nullptr, context) == 0) return true;
  const KeepLastError last_error_scope;
  return v11::cudaFree(nullptr) == 0 && driver::cuCtxGetId(nullptr, context) == 0;
}

}  // namespace

Bound* bound_in(const Reference& reference, ContextId context) {
  Bound* head = all_bound.load(std::memory_order_acquire);
  Bound* known = search(head, nullptr, reference, context);
  if (known != nullptr) return known;
  const KeepErrno errno_scope;
  auto* mine = static_cast<Bound*>(std::calloc(1, sizeof(Bound)));  // zero bytes are a valid one
  if (mine == nullptr) return nullptr;
  mine->reference = &reference;
  mine->context = context;
  mine->next = head;
  while (!all_bound.compare_exchange_weak(head, mine, std::memory_order_acq_rel)) {
    // Others came first: perhaps with the same one.
    known = search(head, mine->next, reference, context);
    if (known != nullptr) {
      std::free(mine);
      return known;
    }
    mine->next = head;
  }
  return mine;
}

void set_unbound(Bound* bound) { bound->bound.store(false, std::memory_order_release); }

void set_bound(Bound* bound, driver::CUtexref texture, driver::CUarray_format format,
               const std::size_t* offset) {
  bound->format.store(format, std::memory_order_relaxed);
  bound->linear.store(offset != nullptr, std::memory_order_relaxed);
  bound->offset.store(offset != nullptr ? *offset : 0, std::memory_order_relaxed);
  give_settings(bound, texture);
  bound->bound.store(true, std::memory_order_release);
}

Status settings_for_launch() {
  ContextId context = 0;
  bool asked = false;
  for (Bound* one = all_bound.load(std::memory_order_acquire); one != nullptr; one = one->next) {
    if (!one->bound.load(std::memory_order_acquire) || !registered(*one->reference)) continue;
    if (one->reference->external || !changed(*one)) continue;
    if (!asked && !context_of_launch(&context)) return 0;  // the launch says what is wrong
    asked = true;
    if (one->context != context) continue;
    driver::CUtexref texture = nullptr;
    Status status = texture_of(*one->reference, &texture);
    if (status == 0) status = give_settings(one, texture);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace anycuda::references
