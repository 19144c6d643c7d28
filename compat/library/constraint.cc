#include "anycuda/compat/constraint.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "anycuda/compat/errors.h"
#include "compat/library/pep440.h"

namespace anycuda::compat {
namespace {

using pep440::Local;
using pep440::Version;

enum class Operator : std::uint8_t {
  arbitrary,
  compatible,
  equal,
  not_equal,
  at_most,
  at_least,
  below,
  above,
};

struct Spelling {
  std::string_view text;
  Operator meaning;
};
// The longer before those that they begin with.
constexpr Spelling kOperators[] = {{"===", Operator::arbitrary}, {"~=", Operator::compatible},
                                   {"==", Operator::equal},      {"!=", Operator::not_equal},
                                   {"<=", Operator::at_most},    {">=", Operator::at_least},
                                   {"<", Operator::below},       {">", Operator::above}};

struct Clause {
  Operator meaning = Operator::equal;
  bool prefix = false;   // `.*`
  std::string verbatim;  // `===` alone: what it names
  Version version;       // all others
  Version series;        // of ~=V.N: V
  Version limit;         // of <V: the first pre-release of V, unless V is one
};

// ---- messages

// A text may be anything, of any length; a message is a line.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    }
  }
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

// Carries what is wrong with a clause to where the whole text is known.
struct BadClause {
  std::string problem;
};

[[noreturn]] void refuse(const std::string& problem) { throw BadClause{problem}; }

// ---- reading

bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

bool take_end(std::string_view* text, std::string_view end) {
  if (text->size() < end.size() || text->substr(text->size() - end.size()) != end) return false;
  text->remove_suffix(end.size());
  return true;
}

const Spelling& operator_of(std::string_view clause) {
  for (const Spelling& spelling : kOperators) {
    if (begins_with(clause, spelling.text)) return spelling;
  }
  std::string problem = "the clause " + quoted(clause) + " has no operator";
  if (pep440::parse(clause)) {
    problem += "; perhaps " + quoted("==" + std::string(clause) + ".*") + " or " +
               quoted(">=" + std::string(clause)) + " is meant";
  }
  refuse(problem);
}

void check_prefix(const Clause& clause, const Spelling& spelling, const std::string& where) {
  const std::string op(spelling.text);
  const bool matching = clause.meaning == Operator::equal || clause.meaning == Operator::not_equal;
  if (clause.prefix && !matching) refuse(where + " has \".*\", which " + op + " does not take");
  if (clause.prefix && (clause.version.dev || !clause.version.local.empty())) {
    refuse(where + " has \".*\" behind a development release or a local version, the end of both");
  }
  if (!clause.version.local.empty() && !matching) {
    refuse(where + " has a local version, which " + op + " does not take");
  }
  if (clause.meaning == Operator::compatible && clause.version.release.size() < 2) {
    refuse(where + " has one number, and ~= needs two, as in ~=12.4");
  }
}

void complete(Clause* clause) {
  if (clause->meaning == Operator::compatible) {
    clause->series.epoch = clause->version.epoch;
    clause->series.release = clause->version.release;
    clause->series.release.pop_back();
  }
  if (clause->meaning == Operator::below) {
    clause->limit = clause->version;
    if (!pep440::is_prerelease(clause->limit)) clause->limit.dev = "0";
  }
}

Clause read_clause(std::string_view text) {
  if (text.empty()) refuse("it has an empty clause");
  const std::string where = "the clause " + quoted(text);
  const Spelling& spelling = operator_of(text);
  std::string_view rest = pep440::trimmed(text.substr(spelling.text.size()));
  if (rest.empty()) refuse(where + " names no version");
  Clause clause;
  clause.meaning = spelling.meaning;
  if (clause.meaning == Operator::arbitrary) {
    // What ends a version in a dependency specifier is in none.
    if (rest.find_first_of(" \t\n\r\f\v;)") != std::string_view::npos) {
      refuse(where + " names a text with a blank, ';' or ')', which no version has");
    }
    clause.verbatim = rest;
    return clause;
  }
  const std::string_view named = rest;
  clause.prefix = take_end(&rest, ".*");
  const std::optional<Version> version = pep440::parse(rest);
  // parse() ignores blanks at the end, but between a version and its ".*" is none.
  if (!version || pep440::trimmed(rest).size() != rest.size()) {
    refuse(where + " names " + quoted(named) + ", which is no version");
  }
  clause.version = *version;
  check_prefix(clause, spelling, where);
  complete(&clause);
  return clause;
}

std::vector<Clause> read_clauses(std::string_view text) {
  if (pep440::trimmed(text).empty()) refuse("it is empty");
  std::vector<Clause> clauses;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    clauses.push_back(read_clause(pep440::trimmed(text.substr(start, comma - start))));
    start = comma + 1;
  }
  return clauses;
}

// ---- judging

bool same_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// PEP 440, "Version matching": a local version counts only where the clause names one.
bool matches(const Clause& clause, const Version& version) {
  if (clause.prefix) return pep440::has_prefix(version, clause.version);
  const Local local = clause.version.local.empty() ? Local::ignored : Local::counts;
  return pep440::compare(version, clause.version, local) == 0;
}

// PEP 440, "Exclusive ordered comparison": >V takes no post-release of V. (Of a V that is a
// post-release itself there are none.)
bool is_above(const Clause& clause, const Version& version) {
  if (pep440::compare(version, clause.version, Local::ignored) <= 0) return false;
  if (!version.post) return true;
  Version head = version;
  head.post.reset();
  head.dev.reset();
  return pep440::compare(head, clause.version, Local::ignored) != 0;
}

bool allows_version(const Clause& clause, const Version& version) {
  const auto order = [&](const Version& to) {
    return pep440::compare(version, to, Local::ignored);
  };
  switch (clause.meaning) {
    case Operator::compatible:
      return order(clause.version) >= 0 && pep440::has_prefix(version, clause.series);
    case Operator::equal:
      return matches(clause, version);
    case Operator::not_equal:
      return !matches(clause, version);
    case Operator::at_most:
      return order(clause.version) <= 0;
    case Operator::at_least:
      return order(clause.version) >= 0;
    case Operator::below:
      return order(clause.limit) < 0;
    case Operator::above:
      return is_above(clause, version);
    case Operator::arbitrary:
      break;
  }
  return false;
}

// PEP 440, "Handling of pre-releases": they are taken where a clause asks for one by name.
bool asks_for_prerelease(const Clause& clause) {
  if (clause.meaning == Operator::not_equal) return false;
  if (clause.meaning != Operator::arbitrary) return pep440::is_prerelease(clause.version);
  const std::optional<Version> named = pep440::parse(clause.verbatim);
  return named && pep440::is_prerelease(*named);
}

}  // namespace

struct Constraint::Clauses {
  std::string text;
  std::vector<Clause> clauses;
  bool prereleases = false;
};

Constraint::Constraint(std::string_view text) {
  auto clauses = std::make_shared<Clauses>();
  clauses->text = text;
  try {
    clauses->clauses = read_clauses(text);
  } catch (const BadClause& bad) {
    throw ConstraintError(
        quoted(text) + " is no version constraint: " + bad.problem +
        ". Accepted are PEP 440 clauses joined by commas, each one of ~=, ==, !=, <=, >=, <, >, "
        "=== and a version: \"==13.*\", \">=12.4,<13\", \"~=12.4\"");
  }
  clauses->prereleases =
      std::any_of(clauses->clauses.begin(), clauses->clauses.end(), asks_for_prerelease);
  clauses_ = std::move(clauses);
}

bool Constraint::allows(std::string_view text) const {
  const std::string_view candidate = pep440::trimmed(text);
  const std::optional<Version> version = pep440::parse(candidate);
  if (version && pep440::is_prerelease(*version) && !clauses_->prereleases) return false;
  return std::all_of(clauses_->clauses.begin(), clauses_->clauses.end(), [&](const Clause& clause) {
    return clause.meaning == Operator::arbitrary ? same_ignoring_case(clause.verbatim, candidate)
                                                 : version && allows_version(clause, *version);
  });
}

bool Constraint::allows(anycuda::Version toolkit) const {
  if (!toolkit.known() || toolkit.minor < 0) return false;
  return allows(std::to_string(toolkit.major) + "." + std::to_string(toolkit.minor));
}

const std::string& Constraint::text() const { return clauses_->text; }

int compare_versions(std::string_view a, std::string_view b) {
  const std::optional<Version> first = pep440::parse(a);
  const std::optional<Version> second = pep440::parse(b);
  if (!first || !second) {
    throw ConstraintError(quoted(first ? b : a) +
                          " is no PEP 440 version; one is 13.2, 12.9.79 or 13.0rc1");
  }
  return pep440::compare(*first, *second);
}

}  // namespace anycuda::compat
