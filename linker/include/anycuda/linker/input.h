// SPDX-License-Identifier: Apache-2.0

// An input of a link: bytes or a file, with a type and a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
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

// Elements of a range of bytes. A wider element would have an unknown byte order.
template <typename Element>
constexpr bool is_byte() {
#ifdef __cpp_char8_t
  if (std::is_same_v<Element, char8_t>) return true;
#endif
  return std::is_same_v<Element, char> || std::is_same_v<Element, unsigned char> ||
         std::is_same_v<Element, signed char> || std::is_same_v<Element, std::byte>;
}

// std::vector<char>, std::string_view, std::array, std::span and arrays; what converts to
// std::string is left to it.
template <typename Range, typename = void>
struct IsByteRange : std::false_type {};
template <typename Range>
struct IsByteRange<Range, std::void_t<decltype(std::data(std::declval<const Range&>())),
                                      decltype(std::size(std::declval<const Range&>()))>>
    : std::bool_constant<is_byte<std::remove_cv_t<std::remove_pointer_t<decltype(std::data(
                             std::declval<const Range&>()))>>>() &&
                         !std::is_convertible_v<const Range&, std::string>> {};

// A value: it owns its bytes and can be copied. It is checked by Linker's constructor.
class Input {
 public:
  // `content` is copied, or moved in if it is a std::string that the caller moves. `name` is used
  // by the backend and in every error; empty: "input 1", by its position. (nvJitLinkAddData and
  // cuLinkAddData take a name for that.) Without a type it is InputType::any.
  [[nodiscard]] static Input bytes(InputType type, std::string content, std::string name = {});
  [[nodiscard]] static Input bytes(std::string content, std::string name = {}) {
    return bytes(InputType::any, std::move(content), std::move(name));
  }
  // `size` bytes from `content` on, also zero bytes.
  [[nodiscard]] static Input bytes(InputType type, const void* content, std::size_t size,
                                   std::string name = {});
  [[nodiscard]] static Input bytes(const void* content, std::size_t size, std::string name = {}) {
    return bytes(InputType::any, content, size, std::move(name));
  }
  // A contiguous range of bytes, all of it.
  template <typename Range, std::enable_if_t<IsByteRange<Range>::value, int> = 0>
  [[nodiscard]] static Input bytes(InputType type, const Range& content, std::string name = {}) {
    return bytes(type, static_cast<const void*>(std::data(content)), std::size(content),
                 std::move(name));
  }
  template <typename Range, std::enable_if_t<IsByteRange<Range>::value, int> = 0>
  [[nodiscard]] static Input bytes(const Range& content, std::string name = {}) {
    return bytes(InputType::any, content, std::move(name));
  }
  // An array, with the zero bytes in it: a conversion to std::string would end at the first. The
  // zero byte at the end of a literal without others is left out.
  template <std::size_t size>
  [[nodiscard]] static Input bytes(InputType type, const char (&content)[size],
                                   std::string name = {}) {
    const std::string all(content, size);
    const bool text = all.find('\0') + 1 == size;
    return bytes(type, all.substr(0, text ? size - 1 : size), std::move(name));
  }
  template <std::size_t size>
  [[nodiscard]] static Input bytes(const char (&content)[size], std::string name = {}) {
    return bytes(InputType::any, content, std::move(name));
  }
  // The file's name is its path, as given. The backend reads the file when the link is made
  // (nvJitLinkAddFile, cuLinkAddFile); the Linker reads it before, in its constructor and in
  // link().
  [[nodiscard]] static Input file(InputType type, std::string path);
  [[nodiscard]] static Input file(std::string path) {
    return file(InputType::any, std::move(path));
  }

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
