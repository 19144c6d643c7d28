// SPDX-License-Identifier: Apache-2.0

// The loader's facts about a shared library or program: read from the file, never by loading it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace anycuda::test {

struct ElfSymbol {
  std::string name;
  std::string version;      // empty: the symbol has none
  bool is_default = false;  // name@@version; false: name@version, a hidden version (exports only)
  bool is_function = false;
  bool is_weak = false;
};

struct ElfFile {
  std::uint16_t type = 0;     // ET_DYN, ET_EXEC, …
  std::uint16_t machine = 0;  // EM_X86_64, …
  std::string soname;
  std::vector<std::string> needed;
  std::string runpath;                           // DT_RUNPATH, or else DT_RPATH
  std::vector<std::string> version_definitions;  // in the file's order, without the base one
  std::vector<std::pair<std::string, std::string>> version_needs;  // library, version
  std::vector<ElfSymbol> exports;  // without the names of the versions themselves
  std::vector<ElfSymbol> imports;

  // Throws std::runtime_error naming the file and what is wrong with it. 64-bit little-endian files
  // only.
  static ElfFile read(const std::filesystem::path& file);

  std::set<std::string> exported_names() const;
  // "name@version" of every export: what the tests of the stubs' export lists compare.
  std::set<std::string> exported_versioned_names() const;
};

}  // namespace anycuda::test
