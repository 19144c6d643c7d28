// SPDX-License-Identifier: Apache-2.0
#include "artifacts.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace anycuda::test {

const Artifacts& Artifacts::of_this_build() {
  static const Artifacts artifacts = read(ANYCUDA_TEST_ARTIFACTS);
  return artifacts;
}

Artifacts Artifacts::read(const std::filesystem::path& list) {
  std::ifstream file(list);
  if (!file) throw std::runtime_error("cannot read the list of CUDA artifacts " + list.string());
  std::map<std::string, Artifact> artifacts;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name, folder, reason;
    std::getline(fields, name, '\t');
    std::getline(fields, folder, '\t');
    std::getline(fields, reason);
    if (!name.empty()) artifacts[name] = Artifact{folder, reason};
  }
  return Artifacts(std::move(artifacts));
}

std::string Artifacts::why_missing(const std::string& name) const {
  const auto artifact = artifacts_.find(name);
  if (artifact == artifacts_.end()) {
    return "CUDA artifact " + name + " is not in this build: its preset does not ask for it";
  }
  const auto& [folder, reason] = artifact->second;
  if (folder.empty()) {
    return "CUDA artifact " + name +
           " could not be fetched: " + (reason.empty() ? "the configure step says why" : reason);
  }
  if (!std::filesystem::is_directory(folder)) {
    return "CUDA artifact " + name + " was in " + folder.string() +
           ", which is gone: configure again";
  }
  return "";
}

const std::filesystem::path& Artifacts::folder(const std::string& name) const {
  const std::string problem = why_missing(name);
  if (!problem.empty()) throw MissingArtifact(problem);
  return artifacts_.at(name).folder;
}

std::filesystem::path Artifacts::file(const std::string& artifact, const std::string& name) const {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder(artifact))) {
    if (entry.path().filename() == name) return entry.path();
  }
  throw MissingArtifact(artifact + " has no " + name);
}

std::vector<std::string> Artifacts::names(const std::string& prefix) const {
  std::vector<std::string> result;
  for (const auto& [name, artifact] : artifacts_) {
    if (name.compare(0, prefix.size(), prefix) == 0 && has(name)) result.push_back(name);
  }
  return result;
}

}  // namespace anycuda::test
