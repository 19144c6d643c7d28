// SPDX-License-Identifier: Apache-2.0

// nvJPEG: decoding in phases with the program's own buffers, handles with its allocators, versions.
#include "nvjpeg_support.h"

namespace maths {
namespace {

// Allocators of the program, which count allocations.
int given = 0, given_2 = 0;
int device_new(void** memory, std::size_t size) { return ++given, cudaMalloc(memory, size); }
int device_delete(void* memory) { return cudaFree(memory); }
int pinned_new(void** memory, std::size_t size, unsigned flags) {
  return ++given, cudaHostAlloc(memory, size, flags);
}
int pinned_delete(void* memory) { return cudaFreeHost(memory); }
int device_new_2(void* context, void** memory, std::size_t size, cudaStream_t) {
  return ++*static_cast<int*>(context), cudaMalloc(memory, size);
}
int device_delete_2(void*, void* memory, std::size_t, cudaStream_t) { return cudaFree(memory); }
int pinned_new_2(void* context, void** memory, std::size_t size, cudaStream_t) {
  return ++*static_cast<int*>(context), cudaHostAlloc(memory, size, 0);
}
int pinned_delete_2(void*, void* memory, std::size_t, cudaStream_t) { return cudaFreeHost(memory); }

struct Allocators {
  Guarded<nvjpegDevAllocator_t> device{nvjpegDevAllocator_t{device_new, device_delete}};
  Guarded<nvjpegPinnedAllocator_t> pinned{nvjpegPinnedAllocator_t{pinned_new, pinned_delete}};
  Guarded<nvjpegDevAllocatorV2_t> device_2{
      nvjpegDevAllocatorV2_t{device_new_2, device_delete_2, &given_2}};
  Guarded<nvjpegPinnedAllocatorV2_t> pinned_2{
      nvjpegPinnedAllocatorV2_t{pinned_new_2, pinned_delete_2, &given_2}};
  void intact(Check& check) const {
    INTACT(check, device);
    INTACT(check, pinned);
    INTACT(check, device_2);
    INTACT(check, pinned_2);
  }
};

// On the host, over, and on the device, with buffers of the program's own allocators.
void phases(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
  Allocators allocators;
  const Stream parsed(check, handle, bytes);
  if (!check) return;
  for (bool second : {false, true}) {
    given = given_2 = 0;
    Guarded<nvjpegJpegDecoder_t> decoder;
    Guarded<nvjpegJpegState_t> state;
    Guarded<nvjpegBufferPinned_t> pinned;
    Guarded<nvjpegBufferDevice_t> device;
    Guarded<nvjpegDecodeParams_t> parameters;
    NEED(check, nvjpegDecoderCreate(handle, NVJPEG_BACKEND_HYBRID, decoder.get()));
    NEED(check, nvjpegDecoderStateCreate(handle, *decoder, state.get()));
    NEED(check, nvjpegDecodeParamsCreate(handle, parameters.get()));
    if (second) {
      NEED(check, nvjpegBufferPinnedCreateV2(handle, allocators.pinned_2.get(), pinned.get()));
      NEED(check, nvjpegBufferDeviceCreateV2(handle, allocators.device_2.get(), device.get()));
    } else {
      NEED(check, nvjpegBufferPinnedCreate(handle, allocators.pinned.get(), pinned.get()));
      NEED(check, nvjpegBufferDeviceCreate(handle, allocators.device.get(), device.get()));
    }
    INTACT(check, decoder);
    INTACT(check, state);
    INTACT(check, parameters);
    INTACT(check, pinned);
    INTACT(check, device);
#if CUDART_VERSION >= 12030
    NEED(check, nvjpegBufferPinnedResize(*pinned, 1 << 16, nullptr));
    NEED(check, nvjpegBufferDeviceResize(*device, 1 << 16, nullptr));
#endif
    NEED(check, nvjpegStateAttachPinnedBuffer(*state, *pinned));
    NEED(check, nvjpegStateAttachDeviceBuffer(*state, *device));
    NEED(check, nvjpegDecodeParamsSetOutputFormat(*parameters, NVJPEG_OUTPUT_RGBI));
    NEED(check, nvjpegDecodeParamsSetAllowCMYK(*parameters, 1));
    Guarded<int> unsupported;
    NEED(check,
         nvjpegDecoderJpegSupported(*decoder, *parsed.stream, *parameters, unsupported.get()));
    EXPECT(check, *unsupported == 0);
    INTACT(check, unsupported);
    Decoded decoded = space(0);
    NEED(check, nvjpegDecodeJpegHost(handle, *decoder, *state, *parameters, *parsed.stream));
    NEED(check,
         nvjpegDecodeJpegTransferToDevice(handle, *decoder, *state, *parsed.stream, nullptr));
    NEED(check, nvjpegDecodeJpegDevice(handle, *decoder, *state, decoded.image.get(), nullptr));
    const Bytes got = decoded.get(check);
    EXPECT(check, noise_ratio(got, picture()) > 35);
    Guarded<std::size_t> pinned_size, device_size;
    Guarded<void*> pinned_memory, device_memory;
    NEED(check, nvjpegBufferPinnedRetrieve(*pinned, pinned_size.get(), pinned_memory.get()));
    NEED(check, nvjpegBufferDeviceRetrieve(*device, device_size.get(), device_memory.get()));
    EXPECT(check, *pinned_size > 0 && *pinned_memory != nullptr);
    EXPECT(check, *device_size > 0 && *device_memory != nullptr);
    EXPECT(check, second ? given_2 >= 2 && given == 0 : given >= 2 && given_2 == 0);
    INTACT(check, pinned_size);
    INTACT(check, device_size);
    INTACT(check, pinned_memory);
    INTACT(check, device_memory);
    NEED(check, nvjpegDecodeParamsDestroy(*parameters));
    NEED(check, nvjpegJpegStateDestroy(*state));
    NEED(check, nvjpegBufferPinnedDestroy(*pinned));
    NEED(check, nvjpegBufferDeviceDestroy(*device));
    NEED(check, nvjpegDecoderDestroy(*decoder));
  }
  allocators.intact(check);
}

void decode(Check& check, nvjpegHandle_t handle, const Bytes& bytes) {
  Guarded<nvjpegJpegState_t> state;
  NEED(check, nvjpegJpegStateCreate(handle, state.get()));
  Decoded decoded = space(0);
  NEED(check, nvjpegDecode(handle, *state, bytes.data(), bytes.size(), NVJPEG_OUTPUT_RGBI,
                           decoded.image.get(), nullptr));
  EXPECT(check, noise_ratio(decoded.get(check), picture()) > 35);
  NEED(check, nvjpegJpegStateDestroy(*state));
}

// Handles made in each way, with the program's allocators, decode alike.
void handles(Check& check, nvjpegHandle_t, const Bytes& bytes) {
  Allocators allocators;
  for (int way = 0; way < 3; ++way) {
    given = given_2 = 0;
    Guarded<nvjpegHandle_t> handle;
    if (way == 0) {
      NEED(check, nvjpegCreate(NVJPEG_BACKEND_DEFAULT, allocators.device.get(), handle.get()));
    } else if (way == 1) {
      NEED(check, nvjpegCreateEx(NVJPEG_BACKEND_GPU_HYBRID, allocators.device.get(),
                                 allocators.pinned.get(), NVJPEG_FLAGS_DEFAULT, handle.get()));
    } else {
      NEED(check, nvjpegCreateExV2(NVJPEG_BACKEND_DEFAULT, allocators.device_2.get(),
                                   allocators.pinned_2.get(), NVJPEG_FLAGS_DEFAULT, handle.get()));
    }
    INTACT(check, handle);
    Guarded<std::size_t> device, pinned;
    NEED(check, nvjpegSetDeviceMemoryPadding(1 << 16, *handle));
    NEED(check, nvjpegSetPinnedMemoryPadding(1 << 12, *handle));
    NEED(check, nvjpegGetDeviceMemoryPadding(device.get(), *handle));
    NEED(check, nvjpegGetPinnedMemoryPadding(pinned.get(), *handle));
    EXPECT(check, *device == 1 << 16 && *pinned == 1 << 12);
    INTACT(check, device);
    INTACT(check, pinned);
    decode(check, *handle, bytes);
    NEED(check, nvjpegDestroy(*handle));
    check.value("given_" + std::to_string(way), (given > 0) + 2 * (given_2 > 0));
  }
  allocators.intact(check);
}

void versions(Check& check, nvjpegHandle_t handle, const Bytes&) {
  Guarded<int> major, runtime;
  NEED(check, nvjpegGetProperty(MAJOR_VERSION, major.get()));
  NEED(check, nvjpegGetCudartProperty(MAJOR_VERSION, runtime.get()));
  EXPECT(check, *major >= 11 && *runtime >= 11);
  INTACT(check, major);
  INTACT(check, runtime);
  Guarded<unsigned> engines, cores;
  NEED(check, nvjpegGetHardwareDecoderInfo(handle, engines.get(), cores.get()));
  check.value("engines", *engines);
  check.value("cores", *cores);
  INTACT(check, engines);
  INTACT(check, cores);
}

}  // namespace

void run() {
  Check made("nvjpeg_memory.handle");
  Guarded<nvjpegHandle_t> handle;
  NEED(made, nvjpegCreateSimple(handle.get()));
  INTACT(made, handle);
  const Bytes stream = encoded_picture(made, *handle);
  if (!made) return;
  run_topics<nvjpegHandle_t, const Bytes&>(
      "nvjpeg_memory", {{"phases", phases}, {"handles", handles}, {"versions", versions}}, *handle,
      stream);
  CALL(made, nvjpegDestroy(*handle));
}

}  // namespace maths
