// SPDX-License-Identifier: Apache-2.0

// A fuzz target's temporary folder, removed with the process.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/check.h"

namespace anycuda::fuzz {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "anycuda-fuzz-XXXXXX").string();
    must(mkdtemp(name.data()) != nullptr, "a folder can be made");
    root_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& root() const { return root_; }
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  // Both make the folders that lead there.
  void file(const std::string& name, const std::string& content) {
    make_way(name);
    std::ofstream(path(name), std::ios::binary) << content;
  }
  void link(const std::string& name, const std::string& target) {
    make_way(name);
    std::filesystem::create_symlink(target, path(name));
  }

 private:
  void make_way(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
  }
  std::string root_;
};

}  // namespace anycuda::fuzz
