// SPDX-License-Identifier: Apache-2.0

// Calls of NVML whose places for results need no name: each lies between guard bytes, and the
// status is the same through the stub as natively.
#pragma once

#include <nvml.h>

#include <algorithm>
#include <tuple>

#include "check.h"

// The stub's answer for a function that the loaded NVML lacks.
inline bool is_absent(nvmlReturn_t status) { return status == NVML_ERROR_FUNCTION_NOT_FOUND; }

namespace maths {

constexpr unsigned kText = 96;
using Text = char[kText];

// Arguments that stand for a place.
struct Out {};  // the function writes it
template <typename T>
struct InOut {  // the function reads and writes it
  T value;
};
struct Asked {  // a struct that carries the version which the program knows; zero but for that
  unsigned version;
};
template <unsigned Count>
struct Room {};  // an array

constexpr Out kOut;

template <typename Parameter, typename Given>
struct Argument {
  explicit Argument(Given given) : value(static_cast<Parameter>(given)) {}
  Parameter pass() { return value; }
  void look(Check&, const char*) const {}
  Parameter value;
};

template <typename T>
struct Place {
  auto pass() { return guarded.get(); }
  void look(Check& check, const char* text) const { check.intact(text, guarded); }
  Guarded<T> guarded;
};
template <typename T>
struct Argument<T*, Out> : Place<T> {
  explicit Argument(Out) {}
};
template <typename T, typename Value>
struct Argument<T*, InOut<Value>> : Place<T> {
  explicit Argument(InOut<Value> given) { *this->guarded = static_cast<T>(given.value); }
};
template <typename T>
struct Argument<T*, Asked> : Place<T> {
  explicit Argument(Asked asked) {
    std::memset(this->guarded.get(), 0, sizeof(T));
    this->guarded->version = static_cast<unsigned>(sizeof(T)) | asked.version << 24;
  }
};
template <typename T, unsigned Count>
struct Argument<T*, Room<Count>> : Place<T[Count]> {
  explicit Argument(Room<Count>) {}
  T* pass() { return *this->guarded.get(); }
};

// What a GPU may answer to a question that it understands.
inline bool is_answer(nvmlReturn_t status) {
  constexpr nvmlReturn_t kAnswers[] = {
      NVML_SUCCESS,
      NVML_ERROR_INVALID_ARGUMENT,
      NVML_ERROR_NOT_SUPPORTED,
      NVML_ERROR_NO_PERMISSION,
      NVML_ERROR_NOT_FOUND,
      NVML_ERROR_INSUFFICIENT_SIZE,
      NVML_ERROR_TIMEOUT,
      NVML_ERROR_FUNCTION_NOT_FOUND,
      NVML_ERROR_NO_DATA,
      static_cast<nvmlReturn_t>(25),  // another version of a struct
      static_cast<nvmlReturn_t>(26),  // deprecated
      static_cast<nvmlReturn_t>(27),  // not ready
      static_cast<nvmlReturn_t>(29),  // in another state
      NVML_ERROR_UNKNOWN};            // natively too, of what the GPU has switched off
  return std::find(std::begin(kAnswers), std::end(kAnswers), status) != std::end(kAnswers);
}

template <typename... Parameters, typename... Given>
nvmlReturn_t query(Check& check, const char* name, bool everywhere,
                   nvmlReturn_t (*function)(Parameters...), Given... given) {
  // A native program's, where the driver is older than the function.
  if (function == nullptr) return NVML_ERROR_FUNCTION_NOT_FOUND;
  std::tuple<Argument<Parameters, Given>...> arguments(given...);
  const nvmlReturn_t status =
      std::apply([&](auto&... one) { return function(one.pass()...); }, arguments);
  std::apply([&](auto&... one) { (one.look(check, name), ...); }, arguments);
  if (!is_answer(status)) check.fail(std::string(name) + " returned " + std::to_string(status));
  if (everywhere) check.value(name, status);
  return status;
}

// A function that NVML has since CUDA 11.8 at least, and one that not all programs know.
#define QUERY(check, function, ...) query(check, #function, true, function, __VA_ARGS__)
#define NEWER(check, function, ...) query(check, #function, false, function, __VA_ARGS__)

// The first GPU of CUDA; NVML may have another order.
inline nvmlDevice_t first_device(Check& check) {
  char bus[32] = "";
  CALL(check, cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  Guarded<nvmlDevice_t> handle;
  if (!CALL(check, nvmlDeviceGetHandleByPciBusId_v2(bus, handle.get()))) return nullptr;
  INTACT(check, handle);
  return *handle;
}

inline cudaDeviceProp properties_of(Check& check) {
  cudaDeviceProp properties{};
  CALL(check, cudaGetDeviceProperties(&properties, 0));
  return properties;
}

// The topics lie between nvmlInit_v2 and nvmlShutdown. Each asks for the device anew.
inline void run_on_device(const std::string& program,
                          std::initializer_list<Topic<nvmlDevice_t>> topics) {
  {
    Check check(program + ".init");
    NEED(check, nvmlInit_v2());
  }
  for (const Topic<nvmlDevice_t>& topic : topics) {
    Check check(program + "." + topic.name);
    const nvmlDevice_t device = first_device(check);
    if (device != nullptr) topic.run(check, device);
  }
  Check check(program + ".shutdown");
  CALL(check, nvmlShutdown());
}

}  // namespace maths
