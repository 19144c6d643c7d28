#include "compat/library/pep440.h"

#include <algorithm>
#include <initializer_list>

namespace anycuda::compat::pep440 {
namespace {

// ASCII alone, whatever the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

Number without_leading_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? "0" : Number(digits.substr(first));
}

// ---- reading, from left to right; no text is read twice

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  char next(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(char c) {
    if (at_end() || lower(next()) != c) return false;
    ++at_;
    return true;
  }
  bool take_separator() {
    if (!is_separator(next())) return false;
    ++at_;
    return true;
  }
  // One of the words, the longer before the shorter, perhaps behind a separator. -1: none of them.
  int take_word(std::initializer_list<std::string_view> words) {
    const std::size_t start = at_ + (is_separator(next()) ? 1 : 0);
    int index = 0;
    for (const std::string_view word : words) {
      if (starts_with(start, word)) {
        at_ = start + word.size();
        return index;
      }
      ++index;
    }
    return -1;
  }
  std::optional<Number> take_number() {
    const std::size_t start = at_;
    while (is_digit(next())) ++at_;
    if (at_ == start) return std::nullopt;
    return without_leading_zeros(text_.substr(start, at_ - start));
  }
  // What follows the word of a suffix. No number means 0; a separator may also end the text.
  Number take_suffix_number() {
    take_separator();
    return take_number().value_or("0");
  }
  std::string take_local_part() {
    std::string part;
    while (is_digit(next()) || is_letter(next())) part += lower(text_[at_++]);
    return std::all_of(part.begin(), part.end(), is_digit) && !part.empty()
               ? without_leading_zeros(part)
               : part;
  }

 private:
  bool starts_with(std::size_t at, std::string_view word) const {
    if (text_.size() - at < word.size()) return false;
    return std::equal(word.begin(), word.end(), text_.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char w, char c) { return w == lower(c); });
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool read_release(Reader* reader, Version* version) {
  std::optional<Number> number = reader->take_number();
  if (number && reader->take('!')) {
    version->epoch = *number;
    number = reader->take_number();
  }
  if (!number) return false;
  version->release.push_back(std::move(*number));
  while (reader->next() == '.' && is_digit(reader->next(1))) {
    reader->take('.');
    version->release.push_back(*reader->take_number());
  }
  return true;
}

void read_pre(Reader* reader, Version* version) {
  static constexpr Stage kStages[] = {Stage::alpha,     Stage::alpha,     Stage::beta,
                                      Stage::beta,      Stage::candidate, Stage::candidate,
                                      Stage::candidate, Stage::candidate};
  const int word = reader->take_word({"alpha", "a", "beta", "b", "preview", "pre", "rc", "c"});
  if (word >= 0) version->pre = PreRelease{kStages[word], reader->take_suffix_number()};
}

void read_post(Reader* reader, Version* version) {
  if (reader->next() == '-' && is_digit(reader->next(1))) {  // 1.0-1 is 1.0.post1
    reader->take('-');
    version->post = reader->take_number();
  } else if (reader->take_word({"post", "rev", "r"}) >= 0) {
    version->post = reader->take_suffix_number();
  }
}

void read_dev(Reader* reader, Version* version) {
  if (reader->take_word({"dev"}) >= 0) version->dev = reader->take_suffix_number();
}

bool read_local(Reader* reader, Version* version) {
  if (!reader->take('+')) return true;
  do {
    version->local.push_back(reader->take_local_part());
    if (version->local.back().empty()) return false;
  } while (reader->take_separator());
  return true;
}

// ---- comparing

int sign(int difference) { return (difference > 0) - (difference < 0); }

int compare_numbers(const Number& a, const Number& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return sign(a.compare(b));
}

// Where a release stands among those of the same numbers: X.dev, Xa, Xb, Xrc, X and X.post.
int stage_of(const Version& version) {
  if (version.pre) return 1 + static_cast<int>(version.pre->stage);
  return version.dev && !version.post ? 0 : 4;
}

// `absent`: where a version without the suffix stands, before (-1) or behind (1) those with it.
int compare_suffixes(const std::optional<Number>& a, const std::optional<Number>& b, int absent) {
  if (a && b) return compare_numbers(*a, *b);
  if (!a && !b) return 0;
  return a ? -absent : absent;
}

int compare_local_parts(const std::string& a, const std::string& b) {
  const bool a_is_number = std::all_of(a.begin(), a.end(), is_digit);
  const bool b_is_number = std::all_of(b.begin(), b.end(), is_digit);
  if (a_is_number != b_is_number) return a_is_number ? 1 : -1;
  return a_is_number ? compare_numbers(a, b) : sign(a.compare(b));
}

int compare_locals(const Version& a, const Version& b) {
  const std::size_t common = std::min(a.local.size(), b.local.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (const int order = compare_local_parts(a.local[i], b.local[i])) return order;
  }
  if (a.local.size() == b.local.size()) return 0;
  return a.local.size() < b.local.size() ? -1 : 1;
}

const Number& number_at(const Version& version, std::size_t index) {
  static const Number zero = "0";
  return index < version.release.size() ? version.release[index] : zero;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr char kBlanks[] = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<Version> parse(std::string_view text) {
  Reader reader(trimmed(text));
  Version version;
  reader.take('v');
  if (!read_release(&reader, &version)) return std::nullopt;
  read_pre(&reader, &version);
  read_post(&reader, &version);
  read_dev(&reader, &version);
  if (!read_local(&reader, &version) || !reader.at_end()) return std::nullopt;
  return version;
}

std::string to_text(const Version& version) {
  static constexpr const char* kStages[] = {"a", "b", "rc"};
  std::string text = version.epoch == "0" ? "" : version.epoch + "!";
  for (std::size_t i = 0; i < version.release.size(); ++i) {
    if (i > 0) text += '.';
    text += version.release[i];
  }
  if (version.pre) text += kStages[static_cast<int>(version.pre->stage)] + version.pre->number;
  if (version.post) text += ".post" + *version.post;
  if (version.dev) text += ".dev" + *version.dev;
  for (std::size_t i = 0; i < version.local.size(); ++i) {
    text += i == 0 ? '+' : '.';
    text += version.local[i];
  }
  return text;
}

int compare_releases(const Version& a, const Version& b) {
  if (const int order = compare_numbers(a.epoch, b.epoch)) return order;
  const std::size_t length = std::max(a.release.size(), b.release.size());
  for (std::size_t i = 0; i < length; ++i) {
    if (const int order = compare_numbers(number_at(a, i), number_at(b, i))) return order;
  }
  return 0;
}

int compare(const Version& a, const Version& b, Local local) {
  if (const int order = compare_releases(a, b)) return order;
  if (const int order = sign(stage_of(a) - stage_of(b))) return order;
  if (a.pre) {  // and b.pre: they are at the same stage
    if (const int order = compare_numbers(a.pre->number, b.pre->number)) return order;
  }
  if (const int order = compare_suffixes(a.post, b.post, -1)) return order;
  if (const int order = compare_suffixes(a.dev, b.dev, 1)) return order;
  return local == Local::counts ? compare_locals(a, b) : 0;
}

bool has_prefix(const Version& version, const Version& prefix) {
  if (version.epoch != prefix.epoch) return false;
  for (std::size_t i = 0; i < prefix.release.size(); ++i) {
    if (number_at(version, i) != prefix.release[i]) return false;
  }
  if (!prefix.pre && !prefix.post) return true;
  // Behind a suffix in the prefix no further number can come.
  Version head = version;
  if (!prefix.post) head.post.reset();
  head.dev.reset();
  return compare(head, prefix, Local::ignored) == 0;
}

}  // namespace anycuda::compat::pep440
