#include "pieces.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace anycuda::test {

const Pieces& Pieces::of_this_build() {
  static const Pieces pieces = read(ANYCUDA_TEST_PIECES);
  return pieces;
}

Pieces Pieces::read(const std::filesystem::path& list) {
  std::ifstream file(list);
  if (!file) throw std::runtime_error("cannot read the list of CUDA pieces " + list.string());
  std::map<std::string, Piece> pieces;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name, folder, reason;
    std::getline(fields, name, '\t');
    std::getline(fields, folder, '\t');
    std::getline(fields, reason);
    if (!name.empty()) pieces[name] = Piece{folder, reason};
  }
  return Pieces(std::move(pieces));
}

std::string Pieces::why_missing(const std::string& name) const {
  const auto piece = pieces_.find(name);
  if (piece == pieces_.end()) {
    return "CUDA piece " + name + " is not in this build: its preset does not ask for it";
  }
  const auto& [folder, reason] = piece->second;
  if (folder.empty()) {
    return "CUDA piece " + name +
           " could not be fetched: " + (reason.empty() ? "the configure step says why" : reason);
  }
  if (!std::filesystem::is_directory(folder)) {
    return "CUDA piece " + name + " was in " + folder.string() + ", which is gone: configure again";
  }
  return "";
}

const std::filesystem::path& Pieces::folder(const std::string& name) const {
  const std::string problem = why_missing(name);
  if (!problem.empty()) throw MissingPiece(problem);
  return pieces_.at(name).folder;
}

std::vector<std::string> Pieces::names(const std::string& prefix) const {
  std::vector<std::string> result;
  for (const auto& [name, piece] : pieces_) {
    if (name.compare(0, prefix.size(), prefix) == 0 && has(name)) result.push_back(name);
  }
  return result;
}

}  // namespace anycuda::test
