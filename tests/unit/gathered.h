// What a search has gathered, as a test wants to compare it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "loader/candidate.h"

namespace anycuda::unit {

// Paths of all candidates, below `root` where they are, in the order of their names: folders are
// read in whatever order the file system has.
inline std::vector<std::string> paths_of(const Search& search, const std::string& root) {
  std::vector<std::string> paths;
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    std::string path = c->path;
    if (path.compare(0, root.size() + 1, root + "/") == 0) path.erase(0, root.size() + 1);
    paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// A search of the tables' library.
struct TestSearch : Search {
  explicit TestSearch(const LibraryDescriptor& library = kLibrary) : Search(library) {
    tables = &kTables;
    driver_library = &kDriver;
  }
};

}  // namespace anycuda::unit
