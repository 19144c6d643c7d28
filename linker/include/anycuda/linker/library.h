// SPDX-License-Identifier: Apache-2.0

// Device code that is loaded once, and used in every context.
//
//   anycuda::Program program(source, "kernel.cu");
//   program.add_name_expression("&scale<float>");
//   const auto library = anycuda::Library::load(program.compile(linker::Output::cubin));
//   const anycuda::Kernel scale = library.kernel("&scale<float>");
//
// Source: CUDA Driver API, "Library Management" (drivers of CUDA 12.0 or later). With an older
// driver, load the code with cuModuleLoadData in each context.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "anycuda/linker/errors.h"
#include "anycuda/linker/input.h"
#include "anycuda/linker/kernel.h"

struct CUlib_st;

namespace anycuda {

namespace linker {

// A variable in device memory.
struct Variable {
  unsigned long long address = 0;  // a CUdeviceptr
  std::size_t bytes = 0;
};

}  // namespace linker

// Cheap to copy: copies, Kernels and owner() share the loaded library, and the last of them unloads
// it (cuLibraryUnload), on its thread. As for cuModuleUnload, work that uses the code must have
// ended then. All functions may be called from any thread. Those that call the driver throw
// DriverError if it fails, and BackendError if the driver is missing or too old.
class Library {
 public:
  Library() = default;  // empty
  // Loads the result of a Program or a Linker, Input::bytes(...) or Input::file(...): PTX, a CUBIN
  // or a fatbin. cuInit must have been called; a context is not needed. By default the driver loads
  // code into a context when it is first used there, so it may report damaged code and unsuitable
  // PTX only then (CUDA_MODULE_LOADING). Throws InputError for other types, which a Linker can
  // turn into a CUBIN, and for inputs that a Linker refuses by their first bytes.
  [[nodiscard]] static Library load(const linker::Input& input);

  explicit operator bool() const { return state_ != nullptr; }
  CUlib_st* handle() const;         // nullptr if empty
  const std::string& name() const;  // the input's; "" if empty
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // By a name expression of the Program (Code::lowered_names), or by its name in the code. A
  // missing kernel is a DriverError with CUDA_ERROR_NOT_FOUND, which names the kernels that there
  // are, if the driver is of CUDA 12.4 or later.
  [[nodiscard]] Kernel kernel(const std::string& name) const;
  // All kernels, by their names in the code, sorted. Needs a driver of CUDA 12.4.
  [[nodiscard]] std::vector<std::string> kernel_names() const;
  // A __device__ or __constant__ variable, by a name as for kernel(), in the current context
  // (cuLibraryGetGlobal).
  [[nodiscard]] linker::Variable global(const std::string& name) const;
  // A __managed__ variable (cuLibraryGetManaged), which has one address in all contexts.
  [[nodiscard]] linker::Variable managed(const std::string& name) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
  std::shared_ptr<const void> owner_;  // the same
};

}  // namespace anycuda
