// SPDX-License-Identifier: Apache-2.0

// cudaGetDriverEntryPoint and cudaGetDriverEntryPointByVersion return functions of the driver, in
// the form of a CUDA version. A runtime asks for its own version (read in the machine code of 11.8
// to 13.5), but the program calls with the parameters that its headers declare. So the adapter asks
// for the newest version of the caller's major that the driver has: driver 580 answers 1 to a
// version newer than its own, older drivers return the newest form that they have.
#include "cudart_adapters.h"
#include "stubs/cudart/adapters/driver_entry_point_forms.h"

namespace anycuda {
namespace {

using Found = v12::cudaDriverEntryPointQueryResult;  // numbered like the driver's own

// Would the driver's form be the promised one? Within a major an older driver also gives older
// forms to the real runtime. With a driver of an older major the real runtime would not run at all,
// so a form may be returned only if the first release of the caller's major declared it, too.
bool keeps_promise(const char* name, unsigned version, unsigned driver_version) {
  const unsigned major = version / 1000 * 1000;
  return driver_version >= major || form_since(name, major) <= driver_version;
}

// As cuGetProcAddress_v2, also on drivers before 12.0, which have the first form alone: an error
// for what they do not find, in place of a result.
Status look_up(const char* name, void** function, unsigned version, unsigned long long flags,
               Found* found) {
  static std::atomic<void*> cache;
  const int number = static_cast<int>(version);
  if (driver_function(&cache, "cuGetProcAddress_v2") != nullptr) {
    return driver::cuGetProcAddress_v2(name, function, number, flags, found);
  }
  const Status status = driver::cuGetProcAddress(name, function, number, flags);
  if (status != 0 && status != driver::CUDA_ERROR_NOT_FOUND) return status;
  *found = status == 0 ? v12::cudaDriverEntryPointSuccess : v12::cudaDriverEntryPointSymbolNotFound;
  if (status != 0) *function = nullptr;
  return 0;
}

enum class Version { named_by_caller, of_callers_major };

Status get(const char* name, void** function, Version kind, unsigned version,
           unsigned long long flags, Found* result) {
  int count = 0;
  // Initialises the driver, as the runtime's function does; without a driver returns its status.
  Status status = v11::cudaGetDeviceCount(&count);
  if (status != 0) return status;
  // Drivers read and write through both unseen (535, 550 and 580 crash).
  if (name == nullptr || function == nullptr) return remember(v12::cudaErrorInvalidValue);
  int number = 0;
  status = driver::cuDriverGetVersion(&number);
  if (status != 0) return driver_answer(status);
  const auto has = static_cast<unsigned>(number);
  Found found = v12::cudaDriverEntryPointVersionNotSufficent;
  void* address = nullptr;
  if (keeps_promise(name, version, has)) {
    const bool clipped = kind == Version::of_callers_major && version > has;
    status = look_up(name, &address, clipped ? has : version, flags, &found);
    if (status != 0) return driver_answer(status);
  }
  *function = address;
  if (result != nullptr) *result = found;
  return 0;
}

Status get_of_major(long long newest, const char* name, void** function, unsigned long long flags,
                    Found* result) {
  return get(name, function, Version::of_callers_major, static_cast<unsigned>(newest), flags,
             result);
}

// 11 has no parameter for a result: a function that is not found is an error, and nothing is
// written.
Status get_of_11(const char* name, void** function, unsigned long long flags) {
  void* address = nullptr;
  const Status status = get_of_major(v11::CUDART_VERSION, name,
                                     function != nullptr ? &address : nullptr, flags, nullptr);
  if (status != 0) return status;
  if (address == nullptr) return remember(v11::cudaErrorSymbolNotFound);
  *function = address;
  return 0;
}

// Programs compiled with per-thread default streams get functions for those, unless they say which
// (cuda_runtime_api.h numbers the two 1 and 2, as the driver does).
unsigned long long per_thread(unsigned long long flags) {
  constexpr unsigned kLegacy = 1;
  constexpr unsigned kPerThread = 2;
  return (flags & (kLegacy | kPerThread)) == 0 ? flags | kPerThread : flags;
}

}  // namespace

ANYCUDA_ADAPTER v11::cudaError_t adapt_driver_entry_point_of_11(const char* name, void** function,
                                                                unsigned long long flags) {
  return get_of_11(name, function, flags);
}
ANYCUDA_ADAPTER v11::cudaError_t adapt_driver_entry_point_of_11_ptsz(const char* name,
                                                                     void** function,
                                                                     unsigned long long flags) {
  return get_of_11(name, function, per_thread(flags));
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_driver_entry_point_of_12(const char* name, void** function,
                                                                unsigned long long flags,
                                                                Found* result) {
  return get_of_major(v12::CUDART_VERSION, name, function, flags, result);
}
ANYCUDA_ADAPTER v12::cudaError_t adapt_driver_entry_point_of_12_ptsz(const char* name,
                                                                     void** function,
                                                                     unsigned long long flags,
                                                                     Found* result) {
  return get_of_major(v12::CUDART_VERSION, name, function, per_thread(flags), result);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_driver_entry_point_of_13(const char* name, void** function,
                                                                unsigned long long flags,
                                                                Found* result) {
  return get_of_major(v13::CUDART_VERSION, name, function, flags, result);
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_driver_entry_point_of_13_ptsz(const char* name,
                                                                     void** function,
                                                                     unsigned long long flags,
                                                                     Found* result) {
  return get_of_major(v13::CUDART_VERSION, name, function, per_thread(flags), result);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_driver_entry_point_by_version(
    const char* name, void** function, unsigned version, unsigned long long flags, Found* result) {
  return get(name, function, Version::named_by_caller, version, flags, result);
}
ANYCUDA_ADAPTER v12::cudaError_t adapt_driver_entry_point_by_version_ptsz(
    const char* name, void** function, unsigned version, unsigned long long flags, Found* result) {
  return get(name, function, Version::named_by_caller, version, per_thread(flags), result);
}

}  // namespace anycuda
