// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/json.h"

#include "compat/base/text.h"

namespace anycuda {
namespace {

constexpr int kMostDepth = 32;
constexpr char kOther = '\x01';  // stands for any character that is not ASCII

// The value of a hexadecimal digit; -1 for another character.
int hex(char c) {
  if (text::is_digit(c)) return c - '0';
  const char small = text::lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Takes an escape, without its backslash, off `rest` and returns its character; '\0' if it is
// invalid (or stands for a character that names do not contain).
char take_escape(std::string_view* rest) {
  constexpr std::string_view kWritten = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  if (rest->empty()) return '\0';
  const char c = rest->front();
  rest->remove_prefix(1);
  for (std::size_t i = 0; i < kWritten.size(); ++i) {
    if (c == kWritten[i]) return kMeant[i];
  }
  if (c != 'u' || rest->size() < 4) return '\0';
  int number = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex((*rest)[static_cast<std::size_t>(i)]);
    if (digit < 0) return '\0';
    number = 16 * number + digit;
  }
  rest->remove_prefix(4);
  return number < 0x80 ? static_cast<char>(number) : kOther;
}

bool is_of_word(char c) {
  return text::is_digit(c) || (text::lower(c) >= 'a' && text::lower(c) <= 'z') || c == '+' ||
         c == '-' || c == '.';
}

}  // namespace

bool JsonString::is_plain() const { return text::find(written, "\\") == text::kNowhere; }

bool JsonString::is(std::string_view text) const {
  if (is_plain()) return written == text;
  for (std::string_view rest = written; !rest.empty(); text.remove_prefix(1)) {
    if (text.empty()) return false;
    char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') c = take_escape(&rest);
    if (c != text.front()) return false;
  }
  return text.empty();
}

void JsonReader::fail() {
  failed_ = true;
  rest_ = {};
}

char JsonReader::here() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' ||
                            rest_.front() == '\n' || rest_.front() == '\r')) {
    rest_.remove_prefix(1);
  }
  return rest_.empty() ? '\0' : rest_.front();
}

bool JsonReader::take(char c) {
  if (here() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

bool JsonReader::enter(char open) {
  if (!take(open)) return false;
  fresh_ = true;
  return true;
}

bool JsonReader::next(char close) {
  const bool fresh = fresh_;
  fresh_ = false;
  if (take(close)) return false;
  if (!fresh && !take(',')) fail();
  // Nothing, or a comma with nothing behind it.
  const char c = here();
  if (c == '\0' || c == close || c == ',') fail();
  return !failed_;
}

bool JsonReader::next_member(JsonString* name) {
  if (!next('}')) return false;
  if (!take_string(name) || !take(':')) fail();
  return !failed_;
}

bool JsonReader::take_string(JsonString* value) {
  if (!take('"')) return false;
  const std::string_view start = rest_;
  while (!rest_.empty()) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '"') {
      value->written = text::first(start, start.size() - rest_.size() - 1);
      return true;
    }
    const bool control = static_cast<unsigned char>(c) < 0x20;
    if (control || (c == '\\' && take_escape(&rest_) == '\0')) break;
  }
  fail();
  return false;
}

void JsonReader::skip(int depth) {
  JsonString string;
  if (depth > kMostDepth) {
    fail();
  } else if (enter('{')) {
    while (next_member(&string)) skip(depth + 1);
  } else if (enter('[')) {
    while (next_element()) skip(depth + 1);
  } else if (!take_string(&string)) {
    if (!is_of_word(here())) fail();
    while (!rest_.empty() && is_of_word(rest_.front())) rest_.remove_prefix(1);
  }
}

bool JsonReader::finished() { return !failed_ && here() == '\0' && rest_.empty(); }

}  // namespace anycuda
