// SPDX-License-Identifier: Apache-2.0

// Constraints and versions. Input: lines; two constraints, then three versions.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "anycuda/compat/constraint.h"
#include "anycuda/compat/errors.h"
#include "tests/compat/pep440_text.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/lines.h"

namespace {

using anycuda::compat::compare_versions;
using anycuda::compat::Constraint;
using anycuda::compat::ConstraintError;
using anycuda::fuzz::must;
namespace pep440 = anycuda::compat::pep440;

std::optional<Constraint> constraint_of(const std::string& text) {
  try {
    return Constraint(text);
  } catch (const ConstraintError& error) {
    const std::string_view message = error.what();
    must(message.size() < 2000, "a message is short");
    must(message.find("Accepted are") != std::string_view::npos, "a message says what is accepted");
    for (const char c : message) must(c >= ' ' && c < 0x7f, "a message is one line of plain text");
    return std::nullopt;
  }
}

void check_version(const std::string& text, const pep440::Version& version) {
  const std::string normal = pep440::to_text(version);
  const auto again = pep440::parse(normal);
  must(again && pep440::to_text(*again) == normal, "the normal form is its own normal form");
  must(compare_versions(text, normal) == 0, "a version equals its normal form");
  must(Constraint("==" + normal).allows(text), "a version satisfies == of itself");
  must(!Constraint("!=" + normal).allows(text), "and not !=");
  must(Constraint("===" + normal).allows(normal), "its normal form satisfies ===");
  if (!version.local.empty()) return;
  must(Constraint(">=" + normal).allows(text), "it satisfies >=");
  must(Constraint("<=" + normal).allows(text), "and <=");
  must(!Constraint("<" + normal).allows(text), "and not <");
  must(!Constraint(">" + normal).allows(text), "nor >");
  if (version.numbers > 1) must(Constraint("~=" + normal).allows(text), "but ~=");
  if (version.dev.first != 0) must(Constraint("==" + normal + ".*").allows(text), "and the prefix");
}

void check_order(const std::string& a, const std::string& b, const std::string& c) {
  const int ab = compare_versions(a, b);
  const int bc = compare_versions(b, c);
  must(compare_versions(b, a) == -ab, "the order of two does not hang on who is asked first");
  if (ab == bc) must(compare_versions(a, c) == ab, "the order is transitive");
}

// What the operators say of two versions is what their order says.
void check_operators(const pep440::Version& named, const pep440::Version& asked) {
  const std::string name = pep440::to_text(named);
  const std::string text = pep440::to_text(asked);
  pep440::Version counted = asked;  // without a local version, where none is named
  if (named.local.empty()) counted.local.clear();
  const int order = pep440::compare(counted, named);
  const bool equal = order == 0;
  must(Constraint("==" + name).allows(text) == equal, "== takes what is equal");
  if (asked.is_prerelease() && !named.is_prerelease()) return;
  must(Constraint("!=" + name).allows(text) == (!equal && !asked.is_prerelease()),
       "!= takes the others");
  if (!named.local.empty()) return;
  must(Constraint(">=" + name).allows(text) == (order >= 0), ">= takes what is not older");
  must(Constraint("<=" + name).allows(text) == (order <= 0), "<= takes what is not newer");
  must(order > 0 || !Constraint(">" + name).allows(text), "> takes what is newer");
  must(order < 0 || !Constraint("<" + name).allows(text), "< takes what is older");
}

void check_pair(const Constraint& first, const Constraint& second, const std::string& version,
                bool prerelease) {
  const std::string both_text = first.text() + "," + second.text();
  const bool both = Constraint(both_text).allows(version);
  const bool each = first.allows(version) && second.allows(version);
  must(!each || both, "what satisfies both satisfies them joined");
  must(prerelease || both == each, "and nothing else does, pre-releases apart");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  anycuda::fuzz::Lines lines(data, size);
  const auto first = constraint_of(lines.next());
  const auto second = constraint_of(lines.next());
  std::string versions[3];
  std::optional<pep440::Version> parsed[3];
  for (int i = 0; i < 3; ++i) {
    versions[i] = lines.next();
    parsed[i] = pep440::parse(versions[i]);
    if (parsed[i]) check_version(versions[i], *parsed[i]);
    for (const auto& constraint : {first, second}) {
      if (!constraint) continue;
      const bool allowed = constraint->allows(versions[i]);
      must(Constraint(constraint->text()).allows(versions[i]) == allowed,
           "a constraint's text gives the same constraint");
      if (allowed && !parsed[i]) {
        must(constraint->text().find("===") != std::string::npos,
             "a text that is not a version satisfies only ===");
      }
    }
    if (first && second && parsed[i]) {
      check_pair(*first, *second, versions[i], parsed[i]->is_prerelease());
    }
  }
  if (parsed[0] && parsed[1]) check_operators(*parsed[0], *parsed[1]);
  if (parsed[0] && parsed[1] && parsed[2]) check_order(versions[0], versions[1], versions[2]);
  return 0;
}
