// SPDX-License-Identifier: Apache-2.0

// Device code with its type: the result of Program::compile() and Linker::link(), and an input of
// the next link.
//
//   const Code kernel = anycuda::Program(source, "kernel.cu").compile(Output::lto_ir);
//   const Code cubin = anycuda::Linker({kernel, Input::file("libhelpers.a")}, options).link();
//   cuModuleLoadData(&module, cubin.data());
//   cuModuleGetFunction(&function, module, cubin.lowered_names.at("&scale<float>").c_str());
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace anycuda::linker {

// The types of nvJitLink (nvJitLinkInputType) and the driver (CUjitInputType).
enum class InputType : std::uint8_t {
  any,      // detected by its first bytes: one of ptx, cubin, fatbin, object, library, lto_ir
  ptx,      // one module as text; zero bytes at its end are allowed and not needed
  cubin,    // a relocatable device ELF (-rdc=true), or a partial CUBIN of an incremental link
  fatbin,   // the output of fatbinary and nvcc -fatbin -rdc=true
  object,   // a host object file with device code in it (nvcc -c -rdc=true)
  library,  // an archive of such objects
  lto_ir,   // of NVRTC or nvcc, CUDA 12.0 or later; only nvJitLink, needs Options::lto
  index,    // a file; only nvJitLink 12.6 or later
  nvvm      // LTO-IR of CUDA 11; only the driver's linker, needs Options::lto and Options::backend
};
const char* name_of(InputType type);  // "PTX", "CUBIN", "LTO-IR"

// What a name in device code stands for.
enum class SymbolKind : std::uint8_t { kernel, function, variable };
const char* name_of(SymbolKind kind);  // "kernel"

// A value: it owns all of this, independently of the Program or Linker that made it. It is the
// std::string of its bytes, so that code which needs only bytes takes it as such.
class Code : public std::string {
 public:
  Code() = default;
  Code(std::string bytes, InputType code_type, std::string code_name = {})
      : std::string(std::move(bytes)), type(code_type), name(std::move(code_name)) {}

  InputType type = InputType::any;  // of a result: ptx, cubin or lto_ir
  // The input's name in the next link and its errors. Of a Program: its name. Of a Linker: the name
  // of the only input, or "kernel and 2 more".
  std::string name = {};
  // The messages about it: of NVRTC, or of the backend (its info log, then its error log).
  std::string log = {};
  // The name in this code of each expression that was added to a Program
  // (Program::add_name_expression). A Linker keeps those of all its inputs.
  std::map<std::string, std::string> lowered_names = {};

  // The names that PTX or a CUBIN defines for the driver and for other modules: kernels, and with
  // -rdc=true functions and variables. (Variables of a whole program have local binding, and are
  // not listed, although the driver finds them.) Empty for other types. Reads all of the code at
  // each call; any thread. Throws std::bad_alloc.
  [[nodiscard]] std::map<std::string, SymbolKind> symbols() const;
};

}  // namespace anycuda::linker
