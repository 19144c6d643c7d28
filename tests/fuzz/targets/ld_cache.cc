// SPDX-License-Identifier: Apache-2.0

// The system's list of libraries. Input: /etc/ld.so.cache.
#include "compat/search/machine/ld_cache.h"

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/check.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/memory_file.h"

namespace {

using anycuda::fuzz::must;

// A system whose cache is the file in memory.
struct System {
  System() { folder.link("etc/ld.so.cache", file.path()); }
  anycuda::fuzz::Folder folder;
  anycuda::fuzz::MemoryFile file;
};

std::vector<std::string> paths_in(const std::string& root, const char* prefix) {
  static anycuda::Arena arena;
  arena.rewind(0);
  std::vector<std::string> paths;
  anycuda::each_cached_library(
      root.c_str(), prefix, &arena,
      [](const char* path, void* list) {
        static_cast<std::vector<std::string>*>(list)->push_back(path);
      },
      &paths);
  return paths;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static System system;
  system.file.fill(data, size);
  const std::string& root = system.folder.root();
  const auto paths = paths_in(root, "libtest.so");
  for (const std::string& path : paths) {
    must(path.compare(0, root.size() + 1, root + "/") == 0, "every path is below the root");
  }
  must(paths_in(root, "libtest.so") == paths, "the same cache gets the same answer");
  return 0;
}
