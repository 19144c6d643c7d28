// SPDX-License-Identifier: Apache-2.0
#include "export_lists.h"

#include <fstream>
#include <map>
#include <regex>

namespace anycuda::test {
namespace {

// The first word of every line that begins with one: the form of all files of the database.
std::vector<std::string> first_words(const Path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::vector<std::string> words;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#' || line[0] == ' ') continue;
    words.push_back(line.substr(0, line.find(' ')));
  }
  return words;
}

Path database(const std::string& library) {
  return Path(ANYCUDA_SOURCE_DIR) / "stubs" / library / "abi";
}

}  // namespace

std::vector<Release> releases_of(Component component) {
  std::vector<Release> releases;
  for (const std::string& version :
       first_words(database(std::string(component.name)) / "versions.txt")) {
    releases.push_back({component, version});
  }
  static const std::regex patch_release(R"([a-z]+-(\d+\.\d+\.\d+))");
  const std::string prefix = std::string(component.name) + "-";
  for (const std::string& artifact : Artifacts::of_this_build().names(prefix)) {
    std::smatch match;
    if (std::regex_match(artifact, match, patch_release)) releases.push_back({component, match[1]});
  }
  return releases;
}

Names names_in_database(const std::string& library) {
  const auto words = first_words(database(library) / "functions.txt");
  return Names(words.begin(), words.end());
}

Names names_declared_in(const Path& cuda_header) {
  const std::string text = content(cuda_header);
  // "#define cuMemAlloc cuMemAlloc_v2", and the same through the macros for the per-thread stream,
  // whose plain form is the name itself.
  static const std::regex macro(
      R"(#[ \t]*define[ \t]+(cu\w+)[ \t]+(?:__CUDA_API_PT(?:DS|SZ)\((cu\w+)\)|(cu\w+))[ \t]*\n)");
  std::map<std::string, std::string> renamed;
  for (std::sregex_iterator match(text.begin(), text.end(), macro), end; match != end; ++match) {
    renamed.emplace((*match)[1], (*match)[2].matched ? (*match)[2] : (*match)[3]);
  }
  static const std::regex declaration(R"(\bCUresult\s+CUDAAPI\s+(cu\w+)\s*\()");
  Names names;
  for (std::sregex_iterator match(text.begin(), text.end(), declaration), end; match != end;
       ++match) {
    const std::string name = (*match)[1];
    const auto macro_of_it = renamed.find(name);
    names.insert(macro_of_it != renamed.end() ? macro_of_it->second : name);
  }
  return names;
}

Names missing_from(const Names& others, const Names& names) {
  Names missing;
  for (const std::string& name : names) {
    if (others.count(name) == 0) missing.insert(name);
  }
  return missing;
}

}  // namespace anycuda::test
