// SPDX-License-Identifier: Apache-2.0

// Paths as text, resolved as if no folder on the way were a link. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "compat/base/arena.h"

namespace anycuda {

// A path without "//", "/./" and "/../". Empty if it is too long.
class LexicalPath {
 public:
  LexicalPath(Arena* arena, std::string_view path) : LexicalPath(arena, "", path) {}
  // `path` relative to `folder`; an absolute path is kept.
  [[gnu::visibility("hidden")]] LexicalPath(Arena* arena, std::string_view folder,
                                            std::string_view path);

  std::string_view text() const { return {buffer_.text(), size_}; }
  const char* c_str() const { return size_ != 0 ? buffer_.text() : ""; }
  bool usable() const { return size_ != 0; }

 private:
  void append(std::string_view path);
  void component(std::string_view name);

  Scratch buffer_;
  std::size_t size_ = 0;
  bool too_long_;
};

// Hidden: there are many calls, and each is a byte shorter.

// The folder that contains it; "/" for an entry of "/", "" for "/" itself.
[[gnu::visibility("hidden")]] std::string_view folder_of(std::string_view path);
// The text after the last slash.
[[gnu::visibility("hidden")]] std::string_view name_of(std::string_view path);
// Does `path` lie in `folder`, or below? Both without "..".
bool is_below(std::string_view path, std::string_view folder);

}  // namespace anycuda
