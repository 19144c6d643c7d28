// SPDX-License-Identifier: Apache-2.0
#include "install.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>

namespace anycuda::test {
namespace fs = std::filesystem;
namespace {

bool is_library(const fs::path& file) {
  return file.filename().string().find(".so") != std::string::npos;
}

// The metadata of the wheel that an artifact came from: the cache keeps METADATA and RECORD.
fs::path metadata_of(const fs::path& artifact) {
  for (const fs::directory_entry& entry : fs::directory_iterator(artifact)) {
    if (entry.path().extension() == ".dist-info") return entry.path();
  }
  throw std::runtime_error(artifact.string() +
                           " has no .dist-info folder: is it an artifact that comes "
                           "from a wheel?");
}

std::string version_of(const fs::path& artifact) {
  const std::string stem = metadata_of(artifact).stem().string();
  return stem.substr(stem.rfind('-') + 1);
}

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What pip leaves beside a package. pip adds the files that it has written to the wheel's RECORD.
// Copies: a test may write to them, and the cache's must stay as they are.
void install_metadata(const fs::path& metadata, const fs::path& site_packages) {
  const std::string name = metadata.filename().string();
  fs::create_directories(site_packages / name);
  fs::copy_file(metadata / "METADATA", site_packages / name / "METADATA",
                fs::copy_options::overwrite_existing);
  std::ofstream(site_packages / name / "INSTALLER") << "pip\n";
  std::ofstream(site_packages / name / "REQUESTED");
  std::ofstream(site_packages / name / "RECORD")
      << content(metadata / "RECORD") << name << "/INSTALLER,,\n"
      << name << "/REQUESTED,,\n";
}

// Of a wheel's headers the one that states its CUDA; the others are many, and no program
// reads them when it runs.
bool is_left_out(const fs::path& inside) {
  const std::string folder = inside.parent_path().string() + "/";
  return folder.find("/include/") != std::string::npos && inside.filename() != "cuda.h";
}

}  // namespace

void place_file(const fs::path& from, const fs::path& to) {
  const fs::path file = fs::canonical(from);
  fs::create_directories(to.parent_path());
  fs::remove(to);
  std::error_code not_linked;
  fs::create_hard_link(file, to, not_linked);
  if (not_linked)
    fs::copy_file(file, to);  // the cache is on another file system, or another user's
}

void own_files(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    struct stat status;
    const fs::path& file = entry.path();
    if (!entry.is_regular_file() || stat(file.c_str(), &status) != 0) continue;
    if (status.st_uid == geteuid()) continue;
    const fs::path copy = file.string() + ".own";
    fs::copy_file(file, copy);
    fs::rename(copy, file);
  }
}

void place_link(const fs::path& at, const fs::path& target) {
  fs::create_directories(at.parent_path());
  fs::remove(at);
  fs::create_symlink(target, at);
}

void install_wheel(const fs::path& artifact, const fs::path& site_packages) {
  for (auto entry = fs::recursive_directory_iterator(artifact);
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->path().extension() == ".dist-info") entry.disable_recursion_pending();
    if (entry->is_directory()) continue;
    const fs::path inside = fs::relative(entry->path(), artifact);
    // What the cache has noted about the artifact is not part of the wheel.
    if (inside.string()[0] == '.' || is_left_out(inside)) continue;
    place_file(entry->path(), site_packages / inside);
  }
  install_metadata(metadata_of(artifact), site_packages);
}

void install_cuda_header(const fs::path& artifact, const fs::path& include) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(artifact)) {
    if (entry.path().filename() == "cuda.h") place_file(entry.path(), include / "cuda.h");
  }
}

void install_chain(const fs::path& artifact, const fs::path& folder) {
  static const std::regex pattern(R"((lib.+\.so)\.\d+(\.\d+)*)");
  const std::string version = version_of(artifact);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(artifact)) {
    const std::string name = entry.path().filename().string();
    std::smatch match;
    if (!entry.is_regular_file() || !std::regex_match(name, match, pattern)) continue;
    const std::string stem = match[1];
    if (stem == "libOpenCL.so") continue;  // its version is not CUDA's
    place_file(entry.path(), folder / (stem + "." + version));
    place_link(folder / name, stem + "." + version);
    place_link(folder / stem, name);
  }
}

void install_flat(const fs::path& artifact, const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(artifact)) {
    if (!is_library(entry.path())) continue;
    if (entry.is_symlink()) {
      place_link(folder / entry.path().filename(), fs::read_symlink(entry.path()));
    } else if (entry.is_regular_file()) {
      place_file(entry.path(), folder / entry.path().filename());
    }
  }
}

}  // namespace anycuda::test
