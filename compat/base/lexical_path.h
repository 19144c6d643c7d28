// SPDX-License-Identifier: Apache-2.0

// Paths as text, resolved as if no folder on the way were a link. Pure, no allocation.
#pragma once

#include <cstddef>
#include <string_view>

namespace anycuda {

// A path without "//", "/./" and "/../". Empty if it is too long.
class LexicalPath {
 public:
  explicit LexicalPath(std::string_view path) {
    text_[0] = '\0';
    append(path);
  }
  // `path` relative to `folder`; an absolute path is kept.
  LexicalPath(std::string_view folder, std::string_view path) {
    text_[0] = '\0';
    if (path.empty() || path.front() != '/') append(folder);
    append(path);
  }

  std::string_view text() const { return {text_, size_}; }
  const char* c_str() const { return text_; }
  bool usable() const { return size_ != 0; }

 private:
  static constexpr std::size_t kMost = 4096;  // PATH_MAX

  // Hidden: there are many calls, and each is a byte shorter.
  [[gnu::visibility("hidden")]] void append(std::string_view path);
  void component(std::string_view name);

  char text_[kMost];  // set only up to size_: looking up one file makes thousands of these
  std::size_t size_ = 0;
  bool too_long_ = false;
};

// Hidden: there are many calls, and each is a byte shorter.

// The folder that contains it; "/" for an entry of "/", "" for "/" itself.
[[gnu::visibility("hidden")]] std::string_view folder_of(std::string_view path);
// The text after the last slash.
[[gnu::visibility("hidden")]] std::string_view name_of(std::string_view path);
// Does `path` lie in `folder`, or below? Both without "..".
bool is_below(std::string_view path, std::string_view folder);

}  // namespace anycuda
