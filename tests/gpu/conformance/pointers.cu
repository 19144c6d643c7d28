// SPDX-License-Identifier: Apache-2.0

// The runtime's facts about a pointer.
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

// The attributes of `pointer`; an address is printed as what it must equal, not as a number.
void attributes(const std::string& name, const void* pointer, const void* device,
                const void* host) {
  Check check("pointers." + name);
  Guarded<cudaPointerAttributes> guarded;
  if (!CALL(check, cudaPointerGetAttributes(guarded.get(), pointer))) return;
  INTACT(check, guarded);
  check.value("type", guarded->type);
  check.value("device", guarded->device);
  EQUAL(check, static_cast<const void*>(guarded->devicePointer), device);
  EQUAL(check, static_cast<const void*>(guarded->hostPointer), host);
#if CUDART_VERSION >= 13000
  bool zero = true;
  for (long word : guarded->reserved) zero = zero && word == 0;
  check.value("reserved_is_zero", zero);
#endif
}

void on_device() {
  Check check("pointers.memory_on_device");
  DeviceArray<char> memory(check, 4096);
  if (!check) return;
  attributes("device", memory.get(), memory.get(), nullptr);
  attributes("device_middle", memory.get() + 100, memory.get() + 100, nullptr);
}

void on_host() {
  Check check("pointers.memory_on_host");
  char* pinned = nullptr;
  if (!CALL(check, cudaHostAlloc(reinterpret_cast<void**>(&pinned), 4096, cudaHostAllocMapped))) {
    return;
  }
  attributes("pinned", pinned, pinned, pinned);
  attributes("pinned_middle", pinned + 100, pinned + 100, pinned + 100);
  CALL(check, cudaFreeHost(pinned));

  static char registered[1 << 16];
  if (CALL(check, cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped))) {
    void* device = nullptr;
    CALL(check, cudaHostGetDevicePointer(&device, registered, 0));
    attributes("registered", registered, device, registered);
    CALL(check, cudaHostUnregister(registered));
  }
}

void in_managed_memory() {
  Check check("pointers.memory_managed");
  char* memory = nullptr;
  if (!CALL(check, cudaMallocManaged(reinterpret_cast<void**>(&memory), 4096))) return;
  attributes("managed", memory, memory, memory);
  CALL(check, cudaFree(memory));
}

// Where nothing is known, the types and statuses must be the same as natively.
void unknown() {
  Check check("pointers.unknown");
  int on_stack = 0;
  for (const void* pointer :
       {static_cast<const void*>(&on_stack), static_cast<const void*>(nullptr)}) {
    const std::string what = pointer != nullptr ? "on_stack" : "null";
    Guarded<cudaPointerAttributes> guarded;
    if (STATUS(check, what, cudaPointerGetAttributes(guarded.get(), pointer))) {
      check.value(what + "_type", guarded->type);
      check.value(what + "_device", guarded->device);
      check.value(what + "_has_device_pointer", guarded->devicePointer != nullptr);
      check.value(what + "_has_host_pointer", guarded->hostPointer != nullptr);
    }
    INTACT(check, guarded);
  }
  STATUS(check, "nowhere_to_write", cudaPointerGetAttributes(nullptr, &on_stack));
}

}  // namespace

void pointers() {
  on_device();
  on_host();
  in_managed_memory();
  unknown();
}

}  // namespace conformance
