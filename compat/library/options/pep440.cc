// SPDX-License-Identifier: Apache-2.0
#include "compat/library/options/pep440.h"

#include <algorithm>
#include <initializer_list>
#include <tuple>

#include "compat/base/text.h"

namespace anycuda::compat::pep440 {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kAlphanumeric = "0123456789abcdefghijklmnopqrstuvwxyz";

// Takes parts off the front of a text in lower case.
struct Reader {
  std::string_view rest;

  bool take(std::string_view text) {
    if (rest.substr(0, text.size()) != text) return false;
    rest.remove_prefix(text.size());
    return true;
  }

  bool take_separator() { return take(".") || take("-") || take("_"); }

  // A number, or a word of some of `letters`.
  std::optional<Part> take_part(std::string_view letters) {
    std::string_view run = rest.substr(0, rest.find_first_not_of(letters));
    if (run.empty()) return std::nullopt;
    rest.remove_prefix(run.size());
    if (run.find_first_not_of(kDigits) != std::string_view::npos) return Part(0, run);
    run.remove_prefix(std::min(run.find_first_not_of('0'), run.size() - 1));
    return Part(run.size(), run);
  }

  // A number behind `before`.
  std::optional<Part> take_number(std::string_view before) {
    const std::string_view start = rest;
    if (take(before)) {
      if (auto number = take_part(kDigits)) return number;
    }
    rest = start;
    return std::nullopt;
  }

  // ".post2", "-rev.2", "r": separators are optional, no number is 0. Returns the suffix's position
  // from 1 on, 0 for none of them.
  int take_suffix(std::initializer_list<std::string_view> suffixes, Part* number) {
    const std::string_view start = rest;
    take_separator();
    const auto* suffix =
        std::find_if(suffixes.begin(), suffixes.end(), [&](auto text) { return take(text); });
    if (suffix == suffixes.end()) {
      rest = start;
      return 0;
    }
    take_separator();
    *number = take_part(kDigits).value_or(Part(1, "0"));
    return static_cast<int>(suffix - suffixes.begin()) + 1;
  }
};

}  // namespace

std::optional<Version> parse(std::string_view text) {
  const std::string letters = lower(trimmed(text));
  Reader reader{letters};
  Version version;
  reader.take("v");
  std::optional<Part> number = reader.take_part(kDigits);
  if (number && reader.take("!")) {
    version.epoch = *number;
    number = reader.take_part(kDigits);
  }
  if (!number) return std::nullopt;
  for (; number; number = reader.take_number(".")) version.release.push_back(*number);
  version.numbers = version.release.size();
  while (!version.release.empty() && version.release.back().second == "0")
    version.release.pop_back();

  // Of suffixes that begin alike the longest first.
  Part count;
  if (const int suffix =
          reader.take_suffix({"alpha", "a", "beta", "b", "rc", "c", "preview", "pre"}, &count)) {
    version.pre = {std::min((suffix + 1) / 2, 3), count};
  }
  if (const auto post = reader.take_number("-")) {  // 1.0-1 is 1.0.post1
    version.post = {1, *post};
  } else if (reader.take_suffix({"post", "rev", "r"}, &count) != 0) {
    version.post = {1, count};
  }
  if (reader.take_suffix({"dev"}, &count) != 0) {
    version.dev = {0, count};
    if (version.pre.first == 4 && version.post.first == 0) version.pre.first = 0;
  }
  if (reader.take("+")) {
    do {
      const auto part = reader.take_part(kAlphanumeric);
      if (!part) return std::nullopt;
      version.local.push_back(*part);
    } while (reader.take_separator());
  }
  if (!reader.rest.empty()) return std::nullopt;
  return version;
}

int compare(const Version& a, const Version& b) {
  const auto key = [](const Version& v) {
    return std::tie(v.epoch, v.release, v.pre, v.post, v.dev, v.local);
  };
  return key(a) < key(b) ? -1 : static_cast<int>(key(b) < key(a));
}

bool same_series(const Version& a, const Version& b, std::size_t numbers) {
  const auto series = [&](const Version& version) {
    std::vector<Part> release = version.release;
    release.resize(numbers, Part(1, "0"));
    return std::pair(version.epoch, release);
  };
  return series(a) == series(b);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), text::lower);
  return result;
}

}  // namespace anycuda::compat::pep440
