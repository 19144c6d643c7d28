// The real CUDA pieces that the build has fetched: which there are, and in which folder.
#pragma once

#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace anycuda::test {

struct Piece {
  std::filesystem::path folder;  // empty: the build wanted the piece and could not have it,
  std::string reason;            // and why
};

class Pieces {
 public:
  // Those of this build, from the list that CMake wrote when it configured.
  static const Pieces& of_this_build();

  explicit Pieces(std::map<std::string, Piece> pieces) : pieces_(std::move(pieces)) {}
  // Lines of "name, tab, folder, tab, reason".
  static Pieces read(const std::filesystem::path& list);

  bool has(const std::string& name) const { return why_missing(name).empty(); }
  // Throws MissingPiece with why_missing's sentence.
  const std::filesystem::path& folder(const std::string& name) const;
  // A sentence for a skipped test; empty when the piece is there.
  std::string why_missing(const std::string& name) const;
  // Names of all pieces that are there and begin so: "cudart-" gives every runtime.
  std::vector<std::string> names(const std::string& prefix) const;

 private:
  std::map<std::string, Piece> pieces_;
};

class MissingPiece : public std::exception {
 public:
  explicit MissingPiece(std::string sentence) : sentence_(std::move(sentence)) {}
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

}  // namespace anycuda::test
