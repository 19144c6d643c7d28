// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/constraint.h"

#include <algorithm>
#include <vector>

#include "anycuda/compat/errors.h"
#include "compat/library/options/pep440.h"

namespace anycuda::compat {
namespace {

using pep440::trimmed;
using pep440::Version;

struct Clause {
  std::string op;
  bool prefix = false;   // `.*`
  std::string verbatim;  // of ===: its text, in lower case
  Version version;       // of === too, if its text is one
};

// The text may have any bytes and any length; a message is one line.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const unsigned char byte : text.substr(0, kLongest)) {
    if (byte >= 0x20 && byte < 0x7f) {
      out += static_cast<char>(byte);
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out + (text.size() > kLongest ? "...\"" : "\"");
}

// Carries the problem of a clause to the constructor, which has the whole text.
struct BadClause {
  std::string problem;
};
void refuse_if(bool wrong, const std::string& problem) {
  if (wrong) throw BadClause{problem};
}

std::string operator_of(std::string_view clause) {
  // "===" before "==", "<=" before "<".
  for (const std::string_view op : {"===", "~=", "==", "!=", "<=", ">=", "<", ">"}) {
    if (clause.substr(0, op.size()) == op) return std::string(op);
  }
  std::string problem = "the clause " + quoted(clause) + " has no operator";
  if (pep440::parse(clause)) {
    problem += "; perhaps " + quoted("==" + std::string(clause) + ".*") + " or " +
               quoted(">=" + std::string(clause)) + " is meant";
  }
  throw BadClause{problem};
}

Clause read_clause(std::string_view text) {
  refuse_if(text.empty(), "it has an empty clause");
  const std::string where = "the clause " + quoted(text);
  Clause clause;
  const std::string op = clause.op = operator_of(text);
  const std::string_view named = trimmed(text.substr(op.size()));
  refuse_if(named.empty(), where + " has no version");
  if (op == "===") {
    // These characters end a version in a dependency specifier.
    refuse_if(named.find_first_of(" \t\n\r\f\v;)") != std::string_view::npos,
              where + " has a blank, ';' or ')' in its version");
    clause.verbatim = pep440::lower(named);
    clause.version = pep440::parse(named).value_or(Version());
    return clause;
  }
  const std::size_t star = named.rfind(".*");
  clause.prefix = star != std::string_view::npos && star + 2 == named.size();
  const std::string_view number = clause.prefix ? named.substr(0, star) : named;
  const std::optional<Version> version = pep440::parse(number);
  // PEP 440 takes no blank before ".*".
  refuse_if(!version || trimmed(number) != number,
            where + " names " + quoted(named) + ", which is not a version");
  clause.version = *version;
  const bool matching = op == "==" || op == "!=";
  const bool local = !version->local.empty();
  const std::string taken = ", which " + op + " does not accept";
  refuse_if(clause.prefix && !matching, where + " has \".*\"" + taken);
  refuse_if(
      clause.prefix && (version->dev.first == 0 || local),
      where + " has \".*\" after a development release or a local version, which must be the end");
  refuse_if(local && !matching, where + " has a local version" + taken);
  refuse_if(op == "~=" && version->numbers < 2,
            where + " has one number, but ~= needs at least two, as in ~=12.4");
  return clause;
}

// Is `version` what is named, or a post- or development release of it?
bool is_variant(Version version, const Version& named) {
  version.dev = Version().dev;
  if (named.post == Version().post) version.post = named.post;
  return compare(version, named) == 0;
}

bool has_prefix(const Version& version, const Version& prefix) {
  const bool suffixed = prefix.pre.first != 4 || prefix.post.first != 0;
  return suffixed ? is_variant(version, prefix) : same_series(version, prefix, prefix.numbers);
}

// PEP 440, "Version specifiers".
bool allows_version(const Clause& clause, Version version) {
  const Version& named = clause.version;
  const std::string& op = clause.op;
  // A local version counts only where the clause names one.
  if (named.local.empty()) version.local.clear();
  const int order = compare(version, named);
  const bool matches = clause.prefix ? has_prefix(version, named) : order == 0;
  if (op == "==") return matches;
  if (op == "!=") return !matches;
  if (op == "<=") return order <= 0;
  if (op == ">=") return order >= 0;
  if (op == "~=") return order >= 0 && same_series(version, named, named.numbers - 1);
  // <V excludes the pre-releases of V, unless V is one; >V excludes its post-releases.
  if (op == "<") return order < 0 && (named.is_prerelease() || !has_prefix(version, named));
  return order > 0 && !is_variant(version, named);
}

}  // namespace

struct Constraint::Clauses {
  std::string text;
  std::vector<Clause> clauses;
  bool prereleases = false;  // does one ask for a pre-release by name?
};

Constraint::Constraint(std::string_view text) {
  auto clauses = std::make_shared<Clauses>();
  clauses->text = text;
  try {
    refuse_if(trimmed(text).empty(), "it is empty");
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t comma = std::min(text.find(',', start), text.size());
      const Clause clause = read_clause(trimmed(text.substr(start, comma - start)));
      clauses->prereleases |= clause.op != "!=" && clause.version.is_prerelease();
      clauses->clauses.push_back(clause);
      start = comma + 1;
    }
  } catch (const BadClause& bad) {
    throw ConstraintError(
        quoted(text) + " is not a version constraint: " + bad.problem +
        ". Accepted are PEP 440 clauses joined by commas, each an operator (~=, ==, !=, <=, >=, <, "
        ">, ===) and a version: \"==13.*\", \">=12.4,<13\", \"~=12.4\"");
  }
  clauses_ = std::move(clauses);
}

bool Constraint::allows(std::string_view text) const {
  const std::string candidate = pep440::lower(trimmed(text));
  const std::optional<Version> version = pep440::parse(candidate);
  if (version && version->is_prerelease() && !clauses_->prereleases) return false;
  return std::all_of(clauses_->clauses.begin(), clauses_->clauses.end(), [&](const Clause& clause) {
    return clause.op == "===" ? clause.verbatim == candidate
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
                          " is not a PEP 440 version such as 13.2, 12.9.79 or 13.0rc1");
  }
  return pep440::compare(*first, *second);
}

}  // namespace anycuda::compat
