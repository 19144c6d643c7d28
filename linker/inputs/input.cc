// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/input.h"

#include <utility>

namespace anycuda::linker {

const char* name_of(InputType type) {
  switch (type) {
    case InputType::any:
      return "any type";
    case InputType::ptx:
      return "PTX";
    case InputType::cubin:
      return "CUBIN";
    case InputType::fatbin:
      return "fatbin";
    case InputType::object:
      return "object";
    case InputType::library:
      return "library";
    case InputType::lto_ir:
      return "LTO-IR";
    case InputType::index:
      return "index";
    case InputType::nvvm:
      return "NVVM IR";
  }
  return "unknown type";
}

Input::Input(InputType type, bool is_file, std::string name, std::string content)
    : type_(type), is_file_(is_file), name_(std::move(name)), content_(std::move(content)) {}

Input Input::bytes(InputType type, std::string content, std::string name) {
  return {type, false, std::move(name), std::move(content)};
}

Input Input::bytes(InputType type, const void* content, std::size_t size, std::string name) {
  if (size == 0) return bytes(type, std::string(), std::move(name));
  return bytes(type, std::string(static_cast<const char*>(content), size), std::move(name));
}

Input Input::file(InputType type, std::string path) { return {type, true, std::move(path), {}}; }

}  // namespace anycuda::linker
