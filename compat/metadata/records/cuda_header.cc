// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/cuda_header.h"

#include <cstring>

#include "compat/base/text.h"

namespace anycuda {
namespace {

constexpr std::string_view kName = "CUDA_VERSION";
// CUDA 1.0 to 99.9.
constexpr long kSmallest = 1000;
constexpr long kLargest = 99990;

using text::is_digit;

bool is_word(char c) {
  return is_digit(c) || (text::lower(c) >= 'a' && text::lower(c) <= 'z') || c == '_';
}

// Takes `word` and the blanks before it off `text`.
bool take_word(std::string_view* text, std::string_view word) {
  while (!text->empty() && text::is_blank(text->front())) text->remove_prefix(1);
  const bool there = text::begins(*text, word);
  if (there) text->remove_prefix(word.size());
  return there;
}

// Where the last possible definition's name ends: nothing behind it matters, and a header of a
// million characters has it within the first ten thousand. It is looked for by its '#', of which
// such a header has few; where a comment or a line's continuation follows, the name may be
// anywhere.
std::size_t end_of_last_name(std::string_view header) {
  std::size_t end = 0;
  std::string_view rest = header;
  while (!rest.empty()) {
    const void* found = std::memchr(rest.data(), '#', rest.size());
    if (found == nullptr) break;
    rest.remove_prefix(static_cast<const char*>(found) - rest.data() + 1);
    const bool defined = take_word(&rest, "define") && take_word(&rest, kName);
    if (defined) end = header.size() - rest.size();
    if (!defined && (text::begins(rest, "/") || text::begins(rest, "\\"))) return header.size();
  }
  return end;
}

class Scanner {
 public:
  explicit Scanner(std::string_view header) : text_(header), end_(end_of_last_name(header)) {}

  HeaderVersion scan() {
    bool line_begins = true;
    while (at_ < end_) {
      const char c = text_[at_];
      if (begins_nothing(c)) {
        line_begins = false;
        ++at_;
      } else if (c == '\n') {
        line_begins = true;
        ++at_;
      } else if (skip_blank()) {
        continue;
      } else if (c == '#' && line_begins) {
        ++at_;
        directive();
        line_begins = false;
      } else {
        if (c == '"' || c == '\'')
          skip_literal(c);
        else
          ++at_;
        line_begins = false;
      }
    }
    return found_;
  }

 private:
  // Letters, digits and most others: no blank, comment, literal or directive.
  static bool begins_nothing(char c) { return c > '/' && c != '\\'; }
  bool begins(std::string_view with) const { return text::begins(text::without(text_, at_), with); }
  char here() const { return at_ < text_.size() ? text_[at_] : '\n'; }

  // The length of the line's continuation here, 0: the line is not continued here.
  std::size_t continuation() const { return begins("\\\n") ? 2 : begins("\\\r\n") ? 3 : 0; }

  // One blank, comment or continuation of the line.
  bool skip_blank() {
    if (at_ >= text_.size()) return false;
    const std::size_t before = at_;
    const char c = text_[at_];
    if (text::is_blank(c)) ++at_;
    if (c == '\\') at_ += continuation();
    if (c == '/' && begins("/*")) skip_past("*/", at_ + 2);
    if (c == '/' && begins("//")) skip_line_comment();
    return at_ != before;
  }
  void skip_blanks() {
    while (skip_blank()) {
    }
  }
  void skip_past(std::string_view word, std::size_t from) {
    const std::size_t found = text::find(text_, word, from);
    at_ = found == text::kNowhere ? text_.size() : found + word.size();
  }
  // A backslash at its end makes the next line part of it.
  void skip_line_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') at_ += continuation() > 0 ? continuation() : 1;
  }
  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      if (text_[at_] == '\\') ++at_;
    }
  }

  std::string_view word() {
    const std::size_t start = at_;
    while (is_word(here())) ++at_;
    return text::first(text::without(text_, start), at_ - start);
  }

  void directive() {
    skip_blanks();
    if (word() != "define") return;
    skip_blanks();
    if (word() != kName) return;
    note(value());
  }

  // The number that follows; 0 if the next text is not a number.
  long value() {
    skip_blanks();
    const bool in_parentheses = here() == '(';
    if (in_parentheses) ++at_;
    skip_blanks();
    long number = is_digit(here()) ? 0 : -1;
    for (; is_digit(here()); ++at_) {
      if (number <= kLargest) number = 10 * number + (here() - '0');
    }
    while (here() == 'u' || here() == 'U' || here() == 'l' || here() == 'L') ++at_;
    skip_blanks();
    if (in_parentheses && here() == ')') ++at_;
    skip_blanks();
    return here() == '\n' && number > 0 ? number : 0;
  }

  void note(long number) {
    const bool first = found_.state == HeaderState::not_stated;
    if (first) {
      const bool is_version = number >= kSmallest && number <= kLargest && number % 10 == 0;
      found_.number = number;
      found_.state = is_version ? HeaderState::stated : HeaderState::unclear;
      if (is_version) found_.version = version_from_cuda_number(static_cast<int>(number));
    } else if (number != found_.number && found_.state != HeaderState::ambiguous) {
      found_.other = number;
      found_.state = HeaderState::ambiguous;
      found_.version = {};
    }
  }

  std::string_view text_;
  std::size_t end_;
  std::size_t at_ = 0;
  HeaderVersion found_;
};

}  // namespace

HeaderVersion version_in_cuda_header(std::string_view header) { return Scanner(header).scan(); }

}  // namespace anycuda
