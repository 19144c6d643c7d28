// SPDX-License-Identifier: Apache-2.0

// In which folders a component may be, in the order of the search: the roots of the search tiers
// (compat/search/machine/roots.h) and the catalogue's folders put together.
#pragma once

#include <string>
#include <vector>

#include "anycuda/compat/find.h"
#include "compat/search/machine/machine.h"

namespace anycuda::compat {

struct SearchLocation {
  Found where = Found::system;
  std::string base;      // site-packages, or the root of conda, a toolkit, the system
  std::string path;      // absolute: a folder, or
  bool is_file = false;  // a file, as /etc/ld.so.cache names it
};

struct SearchLocations {
  std::string root;                       // that stands for "/": "" for "/" itself
  std::vector<SearchLocation> locations;  // each path once
  std::vector<std::string> remarks;       // what could not be looked into, and why

  void remark_untrusted(const std::string& path) {
    remarks.push_back(path + ": another user can change it; correct its permissions");
  }
};

// Reads the environment, folders where a row has a '*', and /etc/ld.so.cache. Throws only
// std::bad_alloc.
SearchLocations locations_of(const Component& component, const Machine& machine = {});

// The files of some locations.
struct FoundFiles {
  std::vector<Located> usable;      // in order, a file behind several paths once
  std::vector<std::string> passed;  // of the others so many, each with the reason
  static constexpr std::size_t kMostPassed = 10;
};

// Programs are usable where this user may run them.
FoundFiles files_in(const Component& component, SearchLocations locations);

}  // namespace anycuda::compat
