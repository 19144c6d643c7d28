// SPDX-License-Identifier: Apache-2.0

// An input of a link: bytes or a file, with a type and a name.
#pragma once

#include <cstddef>
#include <cstdint>
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

// A value: it owns its bytes and can be copied. It is checked by Linker's constructor.
class Input {
 public:
  // `name` is used by the backend and in every error; empty: "input 1", by its position.
  // (nvJitLinkAddData and cuLinkAddData take a name for that.)
  static Input bytes(InputType type, std::string content, std::string name = {});
  // An array, with the zero bytes in it: a conversion to std::string would end at the first. The
  // zero byte at the end of a literal without others is left out.
  template <std::size_t size>
  static Input bytes(InputType type, const char (&content)[size], std::string name = {}) {
    const std::string all(content, size);
    const bool text = all.find('\0') + 1 == size;
    return bytes(type, all.substr(0, text ? size - 1 : size), std::move(name));
  }
  // The file's name is its path, as given. The backend reads the file when the link is made
  // (nvJitLinkAddFile, cuLinkAddFile); the Linker reads it before, in its constructor and in
  // link().
  static Input file(InputType type, std::string path);

  InputType type() const { return type_; }
  bool is_file() const { return is_file_; }
  const std::string& name() const { return name_; }        // of a file: its path
  const std::string& content() const { return content_; }  // of a file: empty

 private:
  Input(InputType type, bool is_file, std::string name, std::string content);
  InputType type_;
  bool is_file_;
  std::string name_;
  std::string content_;
};

}  // namespace anycuda::linker
