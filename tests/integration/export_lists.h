// SPDX-License-Identifier: Apache-2.0

// Which names the stubs must export: read from the real libraries, the real header and the
// database.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "real.h"

namespace anycuda::test {

using Names = std::set<std::string>;

struct Release {
  Component component;
  std::string version;  // 12.9, or 12.0.107
  std::string artifact() const { return std::string(component.name) + "-" + version; }
  std::string major() const { return version.substr(0, version.find('.')); }
};

// How a failing test prints its parameter.
inline void PrintTo(const Component& component, std::ostream* out) { *out << component.name; }
inline void PrintTo(const Release& release, std::ostream* out) { *out << release.artifact(); }

// Every release of the library in the database, and the patch releases that the artifacts have
// besides.
std::vector<Release> releases_of(Component component);

// "name" of every function in stubs/<library>/abi/functions.txt.
Names names_in_database(const std::string& library);

// Functions that cuda.h declares: the names they have in the library, which the header's own macros
// may have made of others.
Names names_declared_in(const Path& cuda_header);

// Those of `names` that `others` lacks.
Names missing_from(const Names& others, const Names& names);

}  // namespace anycuda::test
