// SPDX-License-Identifier: Apache-2.0
#include "tests/stubs/adapters/references_driver.h"

#include <cstdio>
#include <map>

#include "stubs/cudart/adapters/references.h"

namespace anycuda {
namespace {

std::map<std::string, void*>& led() {
  static std::map<std::string, void*> all;
  return all;
}

}  // namespace

void references::lead_slots(const char* name, int caller_major, void* function) {
  if (caller_major == 11) led()[name] = function;
}

namespace test {

ReferencesDriver references_driver;

namespace {

ReferencesDriver& now = references_driver;

template <typename Value>  // a number or a pointer
std::string hex(Value value) {
  char text[32];
  std::snprintf(text, sizeof text, "%zx", (std::size_t)value);  // NOLINT: whichever it is
  return text;
}
Status write_down(const std::string& line) {
  now.lines.push_back(line);
  return now.told;
}

// A module is the kernel that led to it; a reference is its name.
Status get_function(driver::CUfunction* function, const void* kernel) {
  *function = static_cast<driver::CUfunction>(const_cast<void*>(kernel));
  if (now.kernel != 0) set_library_error(now.kernel);
  return now.kernel;
}
Status get_module(driver::CUmodule* module, driver::CUfunction function) {
  *module = reinterpret_cast<driver::CUmodule>(function);
  return 0;
}
template <typename Handle>
Status get_reference(Handle* handle, driver::CUmodule module, const char* name) {
  if (now.reference != 0) return now.reference;
  if (module == nullptr) return 1;
  *handle = reinterpret_cast<Handle>(const_cast<char*>(name));
  return 0;
}
template <typename Handle>
std::string name_of(Handle handle) {
  return reinterpret_cast<const char*>(handle);
}

Status get_context(driver::CUcontext of, unsigned long long* id) {
  if (of != nullptr || now.context == 0) return driver::CUDA_ERROR_INVALID_CONTEXT;
  *id = now.context;
  return 0;
}
Status get_range(driver::CUdeviceptr* base, std::size_t* size, driver::CUdeviceptr) {
  if (now.memory != 0) return now.memory;
  *base = now.base;
  *size = now.range;
  return 0;
}
Status get_attribute(int* value, unsigned which, int device) {
  if (device != 3) return 101;
  *value = which == v11::cudaDevAttrTextureAlignment        ? now.texture_alignment
           : which == v11::cudaDevAttrTexturePitchAlignment ? now.pitch_alignment
                                                            : 0;
  return 0;
}
Status get_array(driver::CUDA_ARRAY3D_DESCRIPTOR* desc, driver::CUarray array) {
  now.lines.push_back("array " + hex(array));
  desc->Format = now.format;
  desc->NumChannels = now.channels;
  return now.array;
}
Status get_level(driver::CUarray* array, driver::CUmipmappedArray levels, unsigned level) {
  now.lines.push_back("level " + std::to_string(level) + " of " + hex(levels));
  *array = reinterpret_cast<driver::CUarray>(0x77);
  return 0;
}

Status set_address(std::size_t* offset, driver::CUtexref texture, driver::CUdeviceptr start,
                   std::size_t bytes) {
  return write_down(name_of(texture) + " address " + hex(start) + " " + std::to_string(bytes) +
                    (offset != nullptr ? " asks for an offset" : ""));
}
Status set_address_2d(driver::CUtexref texture, const driver::CUDA_ARRAY_DESCRIPTOR* desc,
                      driver::CUdeviceptr start, std::size_t pitch) {
  return write_down(name_of(texture) + " address " + hex(start) + " " +
                    std::to_string(desc->Width) + "x" + std::to_string(desc->Height) + " pitch " +
                    std::to_string(pitch) + " format " + std::to_string(desc->Format) + " " +
                    std::to_string(desc->NumChannels));
}
Status set_array(driver::CUtexref texture, driver::CUarray array, unsigned flags) {
  return write_down(name_of(texture) + " array " + hex(array) + " " + std::to_string(flags));
}
Status set_levels(driver::CUtexref texture, driver::CUmipmappedArray array, unsigned flags) {
  return write_down(name_of(texture) + " levels " + hex(array) + " " + std::to_string(flags));
}
Status set_surface(driver::CUsurfref surface, driver::CUarray array, unsigned flags) {
  return write_down(name_of(surface) + " array " + hex(array) + " " + std::to_string(flags));
}
Status set_format(driver::CUtexref texture, unsigned format, int channels) {
  return write_down(name_of(texture) + " format " + std::to_string(format) + " " +
                    std::to_string(channels));
}
Status set_flags(driver::CUtexref texture, unsigned flags) {
  return write_down(name_of(texture) + " flags " + std::to_string(flags));
}
Status set_filter(driver::CUtexref texture, unsigned mode) {
  return write_down(name_of(texture) + " filter " + std::to_string(mode));
}
Status set_mipmap_filter(driver::CUtexref texture, unsigned mode) {
  return write_down(name_of(texture) + " mipmap filter " + std::to_string(mode));
}
Status set_bias(driver::CUtexref texture, float bias) {
  return write_down(name_of(texture) + " bias " + std::to_string(bias));
}
Status set_clamp(driver::CUtexref texture, float least, float most) {
  return write_down(name_of(texture) + " clamp " + std::to_string(least) + " " +
                    std::to_string(most));
}
Status set_anisotropy(driver::CUtexref texture, unsigned most) {
  return write_down(name_of(texture) + " anisotropy " + std::to_string(most));
}
Status set_address_mode(driver::CUtexref texture, int dimension, unsigned mode) {
  return write_down(name_of(texture) + " mode " + std::to_string(dimension) + " " +
                    std::to_string(mode));
}

}  // namespace

void reset_references_driver() {
  reset();
  references_driver = {};
  fake(
      "cudaFree", +[](void*) { return now.ready; });
  fake(
      "cudaGetDevice", +[](int* device) { return *device = 3, 0U; });
  fake("cudaDeviceGetAttribute", get_attribute);
  fake("cudaGetFuncBySymbol", get_function);
  fake_driver("cuFuncGetModule", get_module);
  fake_driver("cuModuleGetTexRef", get_reference<driver::CUtexref>);
  fake_driver("cuModuleGetSurfRef", get_reference<driver::CUsurfref>);
  fake_driver("cuCtxGetId", get_context);
  fake_driver("cuMemGetAddressRange_v2", get_range);
  fake_driver("cuArray3DGetDescriptor_v2", get_array);
  fake_driver("cuMipmappedArrayGetLevel", get_level);
  fake_driver("cuTexRefSetAddress_v2", set_address);
  fake_driver("cuTexRefSetAddress2D_v3", set_address_2d);
  fake_driver("cuTexRefSetArray", set_array);
  fake_driver("cuTexRefSetMipmappedArray", set_levels);
  fake_driver("cuSurfRefSetArray", set_surface);
  fake_driver("cuTexRefSetFormat", set_format);
  fake_driver("cuTexRefSetFlags", set_flags);
  fake_driver("cuTexRefSetFilterMode", set_filter);
  fake_driver("cuTexRefSetMipmapFilterMode", set_mipmap_filter);
  fake_driver("cuTexRefSetMipmapLevelBias", set_bias);
  fake_driver("cuTexRefSetMipmapLevelClamp", set_clamp);
  fake_driver("cuTexRefSetMaxAnisotropy", set_anisotropy);
  fake_driver("cuTexRefSetAddressMode", set_address_mode);
}

Lines told() {
  Lines lines;
  lines.swap(now.lines);
  return lines;
}

void* launch_led(const std::string& name) {
  const auto found = led().find(name);
  return found != led().end() ? found->second : nullptr;
}

}  // namespace test
}  // namespace anycuda
