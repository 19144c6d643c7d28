// SPDX-License-Identifier: Apache-2.0
#include "compat/base/lexical_path.h"

#include <cstring>

#include "compat/base/text.h"

namespace anycuda {
namespace {

std::size_t last_slash(std::string_view path) {
  std::size_t at = path.size();
  while (at > 0 && path[at - 1] != '/') --at;
  return at;  // one past it; 0: no slash
}

}  // namespace

LexicalPath::LexicalPath(Arena* arena, std::string_view folder, std::string_view path)
    : buffer_(arena), too_long_(buffer_.text() == nullptr) {
  if (path.empty() || path.front() != '/') append(folder);
  append(path);
}

void LexicalPath::append(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = text::find(path, "/");
    component(text::first(path, slash));
    path = text::without(path, slash != text::kNowhere ? slash + 1 : path.size());
  }
  if (size_ == 0 && !too_long_) {
    std::memcpy(buffer_.text(), "/", 2);
    size_ = 1;
  }
}

void LexicalPath::component(std::string_view name) {
  if (name.empty() || name == "." || too_long_) return;
  if (size_ == 1) size_ = 0;  // "/" itself
  char* const text = buffer_.text();
  if (name == "..") {
    size_ = size_ > 0 ? last_slash({text, size_}) - 1 : 0;
  } else if (size_ + 1 + name.size() >= Scratch::kPath) {
    too_long_ = true;
    size_ = 0;
  } else {
    text[size_++] = '/';
    std::memcpy(text + size_, name.data(), name.size());
    size_ += name.size();
  }
  text[size_] = '\0';
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = last_slash(path);
  if (slash == 0 || path.size() == 1) return "";
  return text::first(path, slash == 1 ? 1 : slash - 1);
}

std::string_view name_of(std::string_view path) { return text::without(path, last_slash(path)); }

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.size() > 1;
  return path.size() > folder.size() + 1 && text::begins(path, folder) &&
         path[folder.size()] == '/';
}

}  // namespace anycuda
