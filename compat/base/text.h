// SPDX-License-Identifier: Apache-2.0

// Parts of texts for the stubs: std::string_view's substr() can throw, and code that throws needs
// more than libc.
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace anycuda::text {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

constexpr std::string_view first(std::string_view text, std::size_t count) {
  return {text.data(), count < text.size() ? count : text.size()};
}
constexpr std::string_view without(std::string_view text, std::size_t count) {
  const std::size_t skipped = count < text.size() ? count : text.size();
  return {text.data() + skipped, text.size() - skipped};
}
constexpr bool begins(std::string_view text, std::string_view with) {
  return first(text, with.size()) == with;
}
constexpr bool ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && without(text, text.size() - with.size()) == with;
}

// Where `what` begins at or after `from`.
inline std::size_t find(std::string_view text, std::string_view what, std::size_t from = 0) {
  if (from >= text.size() || what.empty()) return kNowhere;
  const void* found = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data())
                          : kNowhere;
}

// The text of an enumerator: `rows` has one after another, each with its zero. "=" is the one
// before.
template <typename Enumerator>
const char* row(const char* rows, Enumerator enumerator) {
  const char* text = rows;
  for (int i = static_cast<int>(enumerator); i > 0; --i) {
    rows += std::strlen(rows) + 1;
    if (*rows != '=') text = rows;
  }
  return text;
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Within a line.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Does a character that ends a line or controls a terminal begin with `c`? File names can contain
// it. U+0080 to U+009F have two bytes in UTF-8, the first of which is kC1.
constexpr char kC1 = '\xc2';
constexpr bool is_control(char c, char next) {
  const auto code = static_cast<unsigned char>(c);
  const auto following = static_cast<unsigned char>(next);
  return code < 0x20 || code == 0x7f || (c == kC1 && following >= 0x80 && following < 0xa0);
}
// Puts a '?' for every byte of a control character.
inline char* as_one_line(char* text) {
  bool second = false;
  for (char* c = text; *c != '\0'; ++c) {
    const bool control = second || is_control(c[0], c[1]);
    second = control && *c == kC1;
    if (control) *c = '?';
  }
  return text;
}
// Takes the first line off `rest`, without its end; the last one may have none.
inline std::string_view take_line(std::string_view* rest) {
  const std::size_t end = find(*rest, "\n");
  const std::string_view line = first(*rest, end);
  *rest = without(*rest, end != kNowhere ? end + 1 : rest->size());
  return !line.empty() && line.back() == '\r' ? first(line, line.size() - 1) : line;
}

}  // namespace anycuda::text
