// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/plain_version.h"

#include <cstdint>

#include "compat/base/text.h"

namespace anycuda {
namespace {

constexpr std::size_t kMostDigits = 9;

enum class Operator : char {
  none,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  compatible,
  identical
};

struct Spelling {
  char text[4];
  Operator meaning;
};

// Longer ones first.
constexpr Spelling kSpellings[] = {
    {"===", Operator::identical}, {"==", Operator::equal},         {"!=", Operator::unequal},
    {"<=", Operator::less_equal}, {">=", Operator::greater_equal}, {"~=", Operator::compatible},
    {"<", Operator::less},        {">", Operator::greater},
};

struct Clause {
  Operator meaning = Operator::none;
  std::string_view operand;
  bool wildcard = false;
};

Clause parse_clause(std::string_view text) {
  Clause clause;
  for (const Spelling& spelling : kSpellings) {
    const std::string_view sign = spelling.text;
    if (!text::begins(text, sign)) continue;
    clause.meaning = spelling.meaning;
    clause.operand = text::trimmed(text::without(text, sign.size()));
    break;
  }
  if (clause.meaning == Operator::equal || clause.meaning == Operator::unequal) {
    clause.wildcard = text::ends(clause.operand, ".*");
    if (clause.wildcard) clause.operand = text::first(clause.operand, clause.operand.size() - 2);
  }
  return clause;
}

Clause take_clause(std::string_view* specifier) {
  const std::size_t comma = text::find(*specifier, ",");
  const Clause clause = parse_clause(text::trimmed(text::first(*specifier, comma)));
  *specifier = text::without(*specifier, comma != text::kNowhere ? comma + 1 : specifier->size());
  return clause;
}

unsigned number_at(const PlainVersion& version, int at) {
  return at < version.count ? version.numbers[at] : 0;
}

int compare_first(const PlainVersion& a, const PlainVersion& b, int count) {
  for (int i = 0; i < count; ++i) {
    if (number_at(a, i) != number_at(b, i)) return number_at(a, i) < number_at(b, i) ? -1 : 1;
  }
  return 0;
}

bool admits(const Clause& clause, const PlainVersion& operand, const PlainVersion& version) {
  const int order = compare(version, operand);
  const bool same =
      clause.wildcard ? compare_first(version, operand, operand.count) == 0 : order == 0;
  switch (clause.meaning) {
    case Operator::equal:
      return same;
    case Operator::unequal:
      return !same;
    case Operator::less:
      return order < 0;
    case Operator::less_equal:
      return order <= 0;
    case Operator::greater:
      return order > 0;
    case Operator::greater_equal:
      return order >= 0;
    case Operator::compatible:
      return order >= 0 && compare_first(version, operand, operand.count - 1) == 0;
    default:
      return false;
  }
}

SpecifierAnswer ask_clause(const Clause& clause, std::string_view version) {
  if (clause.meaning == Operator::none) return SpecifierAnswer::unclear;
  if (clause.meaning == Operator::identical) {
    return clause.operand == version ? SpecifierAnswer::admits : SpecifierAnswer::excludes;
  }
  const PlainVersion operand = parse_plain_version(clause.operand);
  const PlainVersion asked = parse_plain_version(version);
  // `~=` has to be told what may differ: at least two numbers.
  const int least = clause.meaning == Operator::compatible ? 2 : 1;
  if (operand.count < least || asked.count == 0) return SpecifierAnswer::unclear;
  return admits(clause, operand, asked) ? SpecifierAnswer::admits : SpecifierAnswer::excludes;
}

// The first two numbers of the admitted versions, from and to (the first times kNumbers, plus the
// second).
struct Span {
  static constexpr std::uint64_t kNumbers = 1'000'000'000;  // more than kMostDigits make
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;

  void above(std::uint64_t bound) { least = bound > least ? bound : least; }
  void below(std::uint64_t bound) { most = bound < most ? bound : most; }
  void narrow(const Clause& clause) {
    const PlainVersion operand = parse_plain_version(clause.operand);
    if (operand.count == 0) return;
    const std::uint64_t first = operand.numbers[0] * kNumbers;
    const std::uint64_t begin = first + number_at(operand, 1);
    // So many leading numbers must be the operand's; the others may be any.
    int same = PlainVersion::kMost;
    if (clause.wildcard) same = operand.count;
    if (clause.meaning == Operator::compatible) same = operand.count - 1;
    switch (clause.meaning) {
      case Operator::equal:
      case Operator::identical:
      case Operator::compatible:
        above(begin);
        below(same >= 2 ? begin : first + kNumbers - 1);
        break;
      case Operator::greater:
      case Operator::greater_equal:
        above(begin);
        break;
      case Operator::less: {
        const PlainVersion start = {{operand.numbers[0], number_at(operand, 1)}, 2};
        const bool excluded = compare(operand, start) == 0;  // "<13.1", "<13.1.0"
        below(excluded && begin > 0 ? begin - 1 : begin);
        break;
      }
      case Operator::less_equal:
        below(begin);
        break;
      default:
        break;
    }
  }
};

}  // namespace

PlainVersion parse_plain_version(std::string_view text) {
  PlainVersion version = {};
  std::size_t at = 0;
  do {
    unsigned number = 0;
    const std::size_t start = at;
    for (; at < text.size() && text::is_digit(text[at]); ++at) {
      if (at - start >= kMostDigits) return {};
      number = 10 * number + static_cast<unsigned>(text[at] - '0');
    }
    if (at == start || version.count == PlainVersion::kMost) return {};
    version.numbers[version.count++] = number;
  } while (at < text.size() && text[at++] == '.');
  return at == text.size() && text::is_digit(text.back()) ? version : PlainVersion{};
}

int compare(const PlainVersion& a, const PlainVersion& b) {
  return compare_first(a, b, PlainVersion::kMost);
}

Version major_minor(std::string_view text) {
  const PlainVersion version = parse_plain_version(text);
  if (version.count < 2 || version.numbers[0] == 0) return {};
  return {static_cast<int>(version.numbers[0]), static_cast<int>(version.numbers[1])};
}

std::string_view release_segment(std::string_view version) {
  constexpr std::string_view kBegin = "+pdrabc";  // of a local version, post, dev, rc, a, b, c
  std::size_t end = 0;
  while (end < version.size() && (text::is_digit(version[end]) || version[end] == '.')) ++end;
  if (end == version.size()) return version;
  if (text::find(kBegin, {&version[end], 1}) == text::kNowhere) return {};
  return text::first(version, end > 0 && version[end - 1] == '.' ? end - 1 : end);
}

SpecifierAnswer ask_specifier(std::string_view specifier, std::string_view version) {
  SpecifierAnswer answer = SpecifierAnswer::admits;
  while (!specifier.empty()) {
    const SpecifierAnswer one = ask_clause(take_clause(&specifier), version);
    if (one < answer) answer = one;
  }
  return answer;
}

Version only_release(std::string_view specifier) {
  Span span;
  while (!specifier.empty()) span.narrow(take_clause(&specifier));
  if (span.least != span.most) return {};
  return {static_cast<int>(span.least / Span::kNumbers),
          static_cast<int>(span.least % Span::kNumbers)};
}

}  // namespace anycuda
