// Paths as text: what they name if no folder on the way is a link. Pure, no allocation.
#pragma once

#include <cstddef>
#include <string_view>

namespace anycuda {

// A path without "//", "/./" and "/../". Too long a one is empty.
class LexicalPath {
 public:
  explicit LexicalPath(std::string_view path) {
    text_[0] = '\0';
    append(path);
  }
  // `path` as seen from `folder`; an absolute one stands for itself.
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

  char text_[kMost];  // set as far as size_ goes: thousands are made to look one file up
  std::size_t size_ = 0;
  bool too_long_ = false;
};

// Hidden: there are many calls, and each is a byte shorter.

// The folder that holds it; "/" of what lies in "/", "" of "/" itself.
[[gnu::visibility("hidden")]] std::string_view folder_of(std::string_view path);
// What follows the last slash.
[[gnu::visibility("hidden")]] std::string_view name_of(std::string_view path);
// Does `path` lie in `folder`, or below? Both without "..".
bool is_below(std::string_view path, std::string_view folder);

}  // namespace anycuda
