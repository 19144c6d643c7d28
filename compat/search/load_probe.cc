// SPDX-License-Identifier: Apache-2.0
#include "compat/search/load_probe.h"

#include <dlfcn.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace anycuda {
namespace {

// The number of running probes (the lower half), and of all that ever began.
std::atomic<std::uint64_t> probes{0};
constexpr std::uint64_t kEnded = 1;
constexpr std::uint64_t kBegun = std::uint64_t{1} << 32;

constexpr int kMostNaps = 200;
constexpr timespec kNap = {0, 1000000};

}  // namespace

LoadProbe::LoadProbe() { probes += kBegun + kEnded; }
LoadProbe::~LoadProbe() { probes -= kEnded; }

bool is_loaded(const Machine& machine, const char* path) {
  const LoadProbe probe;
  void* const handle = machine.open(path, RTLD_LAZY | RTLD_NOLOAD).handle;
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

bool stays_loaded(const Machine& machine, const char* path) {
  for (int i = 0;; ++i) {
    const std::uint64_t before = probes.load();
    if (!is_loaded(machine, path)) return false;
    // No other probe was running before, and none has begun meanwhile.
    const bool was_alone =
        static_cast<std::uint32_t>(before) == 0 && probes.load() == before + kBegun;
    if (was_alone || i == kMostNaps) return true;
    nanosleep(&kNap, nullptr);
  }
}

}  // namespace anycuda
