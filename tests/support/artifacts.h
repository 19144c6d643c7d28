// SPDX-License-Identifier: Apache-2.0

// The real CUDA artifacts that the build has fetched, and their folders.
#pragma once

#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace anycuda::test {

struct Artifact {
  std::filesystem::path folder;  // empty: the build wanted the artifact and could not have it,
  std::string reason;            // and why
};

class Artifacts {
 public:
  // Those of this build, from the list that CMake wrote when it configured.
  static const Artifacts& of_this_build();

  explicit Artifacts(std::map<std::string, Artifact> artifacts)
      : artifacts_(std::move(artifacts)) {}
  // Lines of "name, tab, folder, tab, reason".
  static Artifacts read(const std::filesystem::path& list);

  bool has(const std::string& name) const { return why_missing(name).empty(); }
  // Throws MissingArtifact with why_missing's sentence.
  const std::filesystem::path& folder(const std::string& name) const;
  // A file of the artifact, in whatever folder. Throws MissingArtifact, too, if it has none of that
  // name.
  std::filesystem::path file(const std::string& artifact, const std::string& name) const;
  // A sentence for a skipped test; empty when the artifact is there.
  std::string why_missing(const std::string& name) const;
  // Names of all artifacts that are there and begin so: "cudart-" gives every runtime.
  std::vector<std::string> names(const std::string& prefix) const;

 private:
  std::map<std::string, Artifact> artifacts_;
};

class MissingArtifact : public std::exception {
 public:
  explicit MissingArtifact(std::string sentence) : sentence_(std::move(sentence)) {}
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

}  // namespace anycuda::test
