// SPDX-License-Identifier: Apache-2.0

// What the finder's tests have in common: a machine made of files in a temporary folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "anycuda/compat/find.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/environment.h"

namespace anycuda::compat {

inline std::string library_image(const std::string& soname) {
  unit::ElfImage image;
  image.soname = soname;
  image.symbol_versions = {soname};
  image.needs_itself = true;  // a driver needs libraries
  return image.bytes();
}

// Nothing is installed; what is put below "system" is the system's, the other folders become
// something by the variables that are set.
class FinderTest : public testing::Test {
 protected:
  void set(const char* variable, const std::string& value) {
    variables_.push_back(std::make_unique<unit::ScopedVariable>(variable, value.c_str()));
  }
  // Sets it to a folder of this computer.
  void lead(const char* variable, const std::string& folder) {
    set(variable, machine.tree.folder(folder));
  }
  std::string path(const std::string& name) const { return machine.tree.path(name); }
  std::string file(const std::string& name, const std::string& content = "text") {
    return machine.tree.file(name, content);
  }
  // A library that calls itself by the name of its file.
  std::string library(const std::string& name) {
    return file(name, library_image(name.substr(name.rfind('/') + 1)));
  }

  static const Component& headers(const char* name) { return component_named(Kind::headers, name); }
  static const Component& dynamic(const char* name) {
    return component_named(Kind::dynamic_library, name);
  }
  static const Component& program(const char* name) { return component_named(Kind::program, name); }

  std::string found(const Component& component) { return Finder().find(component).path; }
  std::vector<std::string> all_found(const Component& component) {
    std::vector<std::string> paths;
    for (const Located& located : Finder::find_all(component)) paths.push_back(located.path);
    return paths;
  }
  // The error; fails if the library is found.
  static NotFoundError refusal(const Component& component) {
    try {
      const Located located = Finder().find(component);
      ADD_FAILURE() << component.name << " was found: " << located.path;
    } catch (const NotFoundError& error) {
      return error;
    }
    return {"", {}};
  }

  unit::EmptyMachine machine;

 private:
  std::vector<std::unique_ptr<unit::ScopedVariable>> variables_;
};

}  // namespace anycuda::compat
