// SPDX-License-Identifier: Apache-2.0
#include "linker/options/option_words.h"

#include "anycuda/linker/errors.h"
#include "linker/base/message_text.h"

namespace anycuda::linker {
namespace {

constexpr const char* kBlanks = " \t\n\r\f\v";

class Splitter {
 public:
  explicit Splitter(const std::string& text) : text_(text) {}

  std::vector<std::string> run() {
    while ((at_ = text_.find_first_not_of(kBlanks, at_)) != std::string::npos) {
      words_.emplace_back();
      while (at_ < text_.size() && !is_blank(text_[at_])) take();
    }
    return std::move(words_);
  }

 private:
  static bool is_blank(char c) { return std::string(kBlanks).find(c) != std::string::npos; }

  // A character, or all that quotes contain.
  void take() {
    const char c = text_[at_++];
    if (c == '\\' && at_ < text_.size()) {
      words_.back() += text_[at_++];
    } else if (c == '"' || c == '\'') {
      take_until(c);
    } else {
      words_.back() += c;
    }
  }

  void take_until(char quote) {
    const std::size_t start = at_ - 1;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      words_.back() += text_[at_++];
    }
    if (at_++ < text_.size()) return;
    const std::string rest = text_.substr(start);
    throw OptionError(
        "the options' text has a quote that is not closed: " + quoted(rest) + "; close it", rest);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
};

bool needs_quotes(const std::string& word) {
  return word.empty() || word.find_first_of(std::string(kBlanks) + "\"'\\") != std::string::npos;
}

}  // namespace

std::vector<std::string> words_of(const std::string& text) { return Splitter(text).run(); }

std::string line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!needs_quotes(word)) {
      line += word;
      continue;
    }
    line += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') line += '\\';
      line += c;
    }
    line += '"';
  }
  return line;
}

}  // namespace anycuda::linker
