// In which folders a piece may be, in the order to look: the search's tiers
// (compat/search/tier_folders.h) and the catalogue's folders put together. Nothing is looked for
// yet.
#pragma once

#include <string>
#include <vector>

#include "anycuda/compat/find.h"

namespace anycuda::compat {

struct PlaceToLook {
  Found where = Found::system;
  std::string base;      // site-packages, or the root of conda, a toolkit, the system
  std::string path;      // absolute: a folder, or
  bool is_file = false;  // a file, as /etc/ld.so.cache names it
};

struct PlacesToLook {
  std::vector<PlaceToLook> places;   // each path once
  std::vector<std::string> remarks;  // what could not be looked into, and why
};

// Reads the environment, folders where a row has a '*', and /etc/ld.so.cache. Throws
// std::bad_alloc alone.
PlacesToLook places_of(const Piece& piece);

}  // namespace anycuda::compat
