// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/distribution.h"

#include "compat/base/text.h"
#include "compat/metadata/records/plain_version.h"

namespace anycuda {
namespace {

constexpr std::string_view kDistInfo = ".dist-info";

bool is_sign(char c) { return c == '-' || c == '_' || c == '.'; }
bool is_of_name(char c) {
  return text::is_digit(c) || (text::lower(c) >= 'a' && text::lower(c) <= 'z') || is_sign(c);
}

// Takes one normalised character off a name: a letter or digit, or '-' for a run of signs.
char take_normalised(std::string_view* name) {
  if (name->empty()) return '\0';
  const char c = text::lower(name->front());
  name->remove_prefix(1);
  if (!is_sign(c)) return c;
  while (!name->empty() && is_sign(name->front())) name->remove_prefix(1);
  return '-';
}

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (text::lower(a[i]) != text::lower(b[i])) return false;
  }
  return true;
}

// Goes through the fields of METADATA: headers as in mail, until the first empty line. Lines that
// begin with a blank belong to the field before.
class Fields {
 public:
  explicit Fields(std::string_view metadata) : rest_(metadata) {
    if (text::begins(rest_, "\xEF\xBB\xBF")) rest_ = text::without(rest_, 3);
  }

  bool next() {
    while (!rest_.empty()) {
      const char* start = rest_.data();
      const std::string_view line = text::take_line(&rest_);
      if (line.empty()) return false;
      const std::size_t colon = text::find(line, ":");
      if (colon == text::kNowhere || text::is_blank(line.front())) continue;
      name_ = text::first(line, colon);
      while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
        text::take_line(&rest_);
      }
      const char* value = start + colon + 1;
      value_ = {value, static_cast<std::size_t>(rest_.data() - value)};
      return true;
    }
    return false;
  }
  bool is(std::string_view name) const { return same_word(name_, name); }

  // The field's first line, where names and versions are.
  std::string_view word() const {
    std::string_view rest = value_;
    return text::trimmed(text::take_line(&rest));
  }
  // Its lines joined, up to the semicolon that begins the markers. Empty if `buffer` is too small.
  std::string_view joined(char* buffer, std::size_t size) const {
    std::size_t length = 0;
    for (std::string_view rest = value_; !rest.empty();) {
      for (const char c : text::take_line(&rest)) {
        if (c == ';') return text::trimmed({buffer, length});
        if (length == size) return {};
        buffer[length++] = c;
      }
    }
    return text::trimmed({buffer, length});
  }

 private:
  std::string_view rest_, name_, value_;
};

std::string_view take_name(std::string_view* text) {
  std::size_t end = 0;
  while (end < text->size() && is_of_name((*text)[end])) ++end;
  const std::string_view name = text::first(*text, end);
  *text = text::trimmed(text::without(*text, end));
  return name;
}

Pin pin_by(std::string_view specifier, std::string_view version) {
  if (only_release(specifier).minor < 0) return Pin::none;
  const SpecifierAnswer answer = ask_specifier(specifier, version);
  if (answer == SpecifierAnswer::unclear) return Pin::none;
  return answer == SpecifierAnswer::admits ? Pin::satisfied : Pin::unsatisfied;
}

}  // namespace

Distribution parse_dist_info(std::string_view folder) {
  if (!text::ends(folder, kDistInfo)) return {};
  const std::string_view stem = text::first(folder, folder.size() - kDistInfo.size());
  // A version has no dash, a name may have.
  std::size_t dash = stem.size();
  while (dash > 0 && stem[dash - 1] != '-') --dash;
  if (dash < 2 || dash == stem.size()) return {};
  return {text::first(stem, dash - 1), text::without(stem, dash)};
}

Distribution parse_metadata(std::string_view metadata) {
  Distribution found;
  for (Fields fields(metadata); fields.next();) {
    if (found.name.empty() && fields.is("Name")) found.name = fields.word();
    if (found.version.empty() && fields.is("Version")) found.version = fields.word();
    if (!found.name.empty() && !found.version.empty()) return found;
  }
  return {};
}

bool same_distribution(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    if (take_normalised(&a) != take_normalised(&b)) return false;
  }
  return true;
}

bool named_like(std::string_view name, std::string_view prefix) {
  for (const char wanted : prefix) {
    if (take_normalised(&name) != wanted) return false;
  }
  return true;
}

bool is_of_nvidia(std::string_view name) {
  return named_like(name, "nvidia") || named_like(name, "cuda");
}

Requirement parse_requirement(std::string_view requirement) {
  std::string_view rest = text::trimmed(text::first(requirement, text::find(requirement, ";")));
  const std::string_view name = take_name(&rest);
  if (name.empty()) return {};
  if (text::begins(rest, "[")) {
    const std::size_t close = text::find(rest, "]");
    if (close == text::kNowhere) return {};
    rest = text::trimmed(text::without(rest, close + 1));
  }
  if (text::begins(rest, "@")) return {name, ""};
  if (text::begins(rest, "(") && text::ends(rest, ")")) {
    rest = text::trimmed(text::first(text::without(rest, 1), rest.size() - 2));
  }
  return {name, rest};
}

Pin pin_of(std::string_view metadata, const Distribution& distribution) {
  Pin found = Pin::none;
  for (Fields fields(metadata); fields.next();) {
    if (!fields.is("Requires-Dist")) continue;
    char buffer[512];
    const Requirement requirement = parse_requirement(fields.joined(buffer, sizeof buffer));
    if (!same_distribution(requirement.name, distribution.name)) continue;
    const Pin pin = pin_by(requirement.specifier, distribution.version);
    if (pin > found) found = pin;
  }
  return found;
}

}  // namespace anycuda
