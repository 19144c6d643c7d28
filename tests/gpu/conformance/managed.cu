// SPDX-License-Identifier: Apache-2.0

// Managed memory: prefetch and advice, with a device number (11, 12) and with a location (12.2 on).
// What they did is read back through the range's attributes.
#include "kernels.h"
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

enum class Place { kDevice, kHost };

#if CUDART_VERSION < 13000
struct ByDevice {
  static int number(Place place) { return place == Place::kDevice ? 0 : cudaCpuDeviceId; }
  static cudaError_t prefetch(const void* memory, std::size_t bytes, Place place,
                              cudaStream_t stream) {
    return cudaMemPrefetchAsync(memory, bytes, number(place), stream);
  }
  static cudaError_t advise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice,
                            Place place) {
    return cudaMemAdvise(memory, bytes, advice, number(place));
  }
  static cudaError_t nowhere(const void* memory, std::size_t bytes) {
    return cudaMemPrefetchAsync(memory, bytes, 4096, nullptr);
  }
  static constexpr const char* kPrefetch = "cudaMemPrefetchAsync";
  static constexpr const char* kAdvise = "cudaMemAdvise";
};
#endif

#if CUDART_VERSION >= 12020
struct ByLocation {
  static cudaMemLocation at(cudaMemLocationType type, int number) {
    cudaMemLocation location = {};
    location.type = type;
    location.id = number;
    return location;
  }
  static cudaMemLocation location(Place place) {
    return place == Place::kDevice ? at(cudaMemLocationTypeDevice, 0)
                                   : at(cudaMemLocationTypeHost, 0);
  }
  static cudaError_t prefetch_to(const void* memory, std::size_t bytes, cudaMemLocation location,
                                 cudaStream_t stream) {
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync(memory, bytes, location, 0, stream);
#else
    return cudaMemPrefetchAsync_v2(memory, bytes, location, 0, stream);
#endif
  }
  static cudaError_t advise_at(const void* memory, std::size_t bytes, cudaMemoryAdvise advice,
                               cudaMemLocation location) {
#if CUDART_VERSION >= 13000
    return cudaMemAdvise(memory, bytes, advice, location);
#else
    return cudaMemAdvise_v2(memory, bytes, advice, location);
#endif
  }
  static cudaError_t prefetch(const void* memory, std::size_t bytes, Place place,
                              cudaStream_t stream) {
    return prefetch_to(memory, bytes, location(place), stream);
  }
  static cudaError_t advise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice,
                            Place place) {
    return advise_at(memory, bytes, advice, location(place));
  }
  static cudaError_t nowhere(const void* memory, std::size_t bytes) {
    return prefetch_to(memory, bytes, at(cudaMemLocationTypeDevice, 4096), nullptr);
  }
#if CUDART_VERSION >= 13000
  static constexpr const char* kPrefetch = "cudaMemPrefetchAsync";
  static constexpr const char* kAdvise = "cudaMemAdvise";
#else
  static constexpr const char* kPrefetch = "cudaMemPrefetchAsync_v2";
  static constexpr const char* kAdvise = "cudaMemAdvise_v2";
#endif
};
#endif

class Managed {
 public:
  explicit Managed(Check& check) : check_(check) {
    CALL(check, cudaMallocManaged(reinterpret_cast<void**>(&data_), kBytes));
  }
  ~Managed() {
    if (data_ != nullptr) cudaFree(data_);
  }
  int* get() const { return data_; }
  int attribute(cudaMemRangeAttribute which) {
    Guarded<int> value;
    CALL(check_, cudaMemRangeGetAttribute(value.get(), sizeof(int), which, data_, kBytes));
    INTACT(check_, value);
    return *value;
  }
  static constexpr std::size_t kBytes = 1 << 16;

 private:
  Check& check_;
  int* data_ = nullptr;
};

template <typename Form>
void prefetch(const std::string& name) {
  Check check(name + ".prefetch");
  Managed memory(check);
  Stream stream(check);
  if (!check) return;
  for (int i = 0; i < kCount; ++i) memory.get()[i] = i;
  if (!check.call(Form::kPrefetch,
                  Form::prefetch(memory.get(), Managed::kBytes, Place::kDevice, stream))) {
    return;
  }
  CALL(check, cudaStreamSynchronize(stream));
  EQUAL(check, memory.attribute(cudaMemRangeAttributeLastPrefetchLocation), 0);
  add<<<1, kCount, 0, stream>>>(memory.get(), kCount, 1);
  CALL(check, cudaGetLastError());
  check.call(Form::kPrefetch, Form::prefetch(memory.get(), Managed::kBytes, Place::kHost, stream));
  CALL(check, cudaStreamSynchronize(stream));
  EQUAL(check, memory.attribute(cudaMemRangeAttributeLastPrefetchLocation), cudaCpuDeviceId);
  int wrong = 0;
  for (int i = 0; i < kCount && check; ++i) wrong += memory.get()[i] != i + 1;
  EQUAL(check, wrong, 0);
}

template <typename Form>
void advise(const std::string& name) {
  Check check(name + ".advise");
  Managed memory(check);
  if (!check) return;
  const auto advice = [&](cudaMemoryAdvise what, Place place) {
    return check.call(Form::kAdvise, Form::advise(memory.get(), Managed::kBytes, what, place));
  };
  if (!advice(cudaMemAdviseSetReadMostly, Place::kDevice)) return;
  EQUAL(check, memory.attribute(cudaMemRangeAttributeReadMostly), 1);
  advice(cudaMemAdviseUnsetReadMostly, Place::kDevice);
  EQUAL(check, memory.attribute(cudaMemRangeAttributeReadMostly), 0);
  advice(cudaMemAdviseSetPreferredLocation, Place::kDevice);
  EQUAL(check, memory.attribute(cudaMemRangeAttributePreferredLocation), 0);
  advice(cudaMemAdviseSetPreferredLocation, Place::kHost);
  EQUAL(check, memory.attribute(cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
  advice(cudaMemAdviseUnsetPreferredLocation, Place::kHost);
  EQUAL(check, memory.attribute(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
  advice(cudaMemAdviseSetAccessedBy, Place::kDevice);
  EQUAL(check, memory.attribute(cudaMemRangeAttributeAccessedBy), 0);
  advice(cudaMemAdviseUnsetAccessedBy, Place::kDevice);
}

template <typename Form>
void wrong(const std::string& name) {
  Check check(name + ".wrong");
  Managed memory(check);
  if (!check) return;
  check.status("no_such_device", Form::kPrefetch, Form::nowhere(memory.get(), Managed::kBytes));
  check.status("null", Form::kPrefetch,
               Form::prefetch(nullptr, Managed::kBytes, Place::kDevice, nullptr));
  check.status("nothing", Form::kPrefetch,
               Form::prefetch(memory.get(), 0, Place::kDevice, nullptr));
  check.status("unknown_advice", Form::kAdvise,
               Form::advise(memory.get(), Managed::kBytes, static_cast<cudaMemoryAdvise>(77),
                            Place::kDevice));
}

template <typename Form>
void all(const std::string& name) {
  prefetch<Form>(name);
  advise<Form>(name);
}

#if CUDART_VERSION >= 12020
// Locations that a device number cannot say.
void numa() {
  Check check("managed.numa_node");
  Managed memory(check);
  if (!check) return;
  const cudaMemLocation node = ByLocation::at(cudaMemLocationTypeHostNuma, 0);
  const cudaMemLocation here = ByLocation::at(cudaMemLocationTypeHostNumaCurrent, 0);
  if (!check.status("advise", ByLocation::kAdvise,
                    ByLocation::advise_at(memory.get(), Managed::kBytes,
                                          cudaMemAdviseSetPreferredLocation, node))) {
    return;
  }
  // The result depends on the machine: some containers have no NUMA node, and so no location.
  check.value("type", memory.attribute(cudaMemRangeAttributePreferredLocationType));
  check.value("id", memory.attribute(cudaMemRangeAttributePreferredLocationId));
  check.status("prefetch", ByLocation::kPrefetch,
               ByLocation::prefetch_to(memory.get(), Managed::kBytes, here, nullptr));
  CALL(check, cudaDeviceSynchronize());
}
#endif

}  // namespace

void managed() {
#if CUDART_VERSION < 13000
  all<ByDevice>("managed.by_device");
#endif
#if CUDART_VERSION >= 12020
  all<ByLocation>("managed.by_location");
  numa();
#endif
#if CUDART_VERSION < 13000
  wrong<ByDevice>("managed.by_device");
#endif
#if CUDART_VERSION >= 12020
  wrong<ByLocation>("managed.by_location");
#endif
}

}  // namespace conformance
