// SPDX-License-Identifier: Apache-2.0

// An input of a link: bytes or a file, with a type and a name.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "anycuda/linker/code.h"

namespace anycuda::linker {

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
  // The result of a Program or a Linker, with its type, name and lowered names.
  Input(Code code)  // NOLINT(google-explicit-constructor): Linker({kernel, helper})
      : type_(code.type),
        name_(std::move(code.name)),
        content_(static_cast<std::string&&>(code)),
        lowered_names_(std::move(code.lowered_names)) {}
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
  // Code::lowered_names; empty for other inputs.
  const std::map<std::string, std::string>& lowered_names() const { return lowered_names_; }

 private:
  Input(InputType type, bool is_file, std::string name, std::string content);
  InputType type_;
  bool is_file_ = false;
  std::string name_;
  std::string content_;
  std::map<std::string, std::string> lowered_names_;
};

}  // namespace anycuda::linker
