// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace stress {

// Copies of a file, in a new folder: the dynamic linker identifies a file by its inode.
class Copies {
 public:
  Copies(const std::filesystem::path& file, int count) {
    std::string name = std::filesystem::temp_directory_path() / "clients-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::exit(2);
    folder_ = name;
    for (int i = 0; i < count; ++i) {
      files.push_back(folder_ / (std::to_string(i) + ".so"));
      std::filesystem::copy_file(file, files.back());
    }
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  ~Copies() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::vector<std::filesystem::path> files;

 private:
  std::filesystem::path folder_;
};

}  // namespace stress
