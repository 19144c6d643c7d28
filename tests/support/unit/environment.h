// SPDX-License-Identifier: Apache-2.0

// What a unit test puts around the code: files, variables, a child process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace anycuda::unit {

// A temporary folder that is removed with the object. Paths are below its root.
class TempTree {
 public:
  TempTree();
  ~TempTree();
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  const std::string& root() const { return root_; }
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  // Each makes the folders that lead there and returns the whole path.
  std::string file(const std::string& name, const std::string& content);
  std::string folder(const std::string& name);
  std::string link(const std::string& name, const std::string& target);
  // A copy of one of the fake libraries that CMake builds ("libtest.so.12").
  std::string fake(const std::string& library, const std::string& name);

 private:
  std::string root_;
};

// Path of a fake library, and its bytes.
std::string fake_library(const std::string& name);
std::string read_file(const std::string& path);

// Sets a variable, nullptr: unsets it; puts back what was there.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  std::string name_;
  std::string before_;
  bool was_set_;
};

// Unsets every variable that steers a search, so that this computer's own do not count, and makes
// an empty folder the system.
class EmptyMachine {
 public:
  EmptyMachine();
  TempTree tree;

 private:
  std::vector<std::unique_ptr<ScopedVariable>> variables_;
};

// Runs `body` in a child process, for what a process does only once. A failure there fails the
// test; the result is what it wrote to stderr.
std::string in_child(const std::function<void()>& body);

}  // namespace anycuda::unit
