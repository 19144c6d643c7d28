// SPDX-License-Identifier: Apache-2.0

// Version specifiers as PEP 440 defines them ("Version specifiers"), all of them: `==13.*`,
// `>=12.4,<13`, `~=12.4`, `!=12.5`, `===12.9.79`, pre-, post- and development releases, epochs,
// local versions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "anycuda/compat/version.h"

namespace anycuda::compat {

// Immutable; copies share; safe from any thread.
class Constraint {
 public:
  // Throws ConstraintError that quotes the text and the clause and says what is accepted: an empty
  // text or clause, a bare `13.2`, an unknown operator, an invalid version, a wildcard or a
  // local version where PEP 440 has none.
  explicit Constraint(std::string_view text);

  // Does a version satisfy all clauses? A pre-release only if one of them names a pre-release (PEP
  // 440, "Handling of pre-releases"). A text that is not a PEP 440 version satisfies only a `===`
  // of the same text; upper and lower case are equal.
  bool allows(std::string_view version) const;
  // A toolkit release, known by major.minor; with an unknown minor it is not a release: false.
  bool allows(Version toolkit) const;

  const std::string& text() const;

 private:
  struct Clauses;
  std::shared_ptr<const Clauses> clauses_;
};

// The order of PEP 440: below zero, zero, above zero; ConstraintError for an invalid version.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace anycuda::compat
