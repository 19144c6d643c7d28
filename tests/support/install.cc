#include "install.h"

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

// Package and version that a piece came from. The cache notes the wheel's file name,
// "nvidia_cuda_runtime_cu12-12.9.79-py3-….whl", which begins as the metadata folder is called.
struct Distribution {
  std::string name;
  std::string version;
};

Distribution distribution_of(const fs::path& piece) {
  const fs::path note = piece / ".anycuda-piece.json";
  std::ifstream stream(note);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  static const std::regex wheel(R"re("([A-Za-z0-9_]+)-(\d+\.\d+\.\d+)[^"]*\.whl")re");
  std::smatch match;
  if (!std::regex_search(text, match, wheel)) {
    throw std::runtime_error(note.string() + " names no wheel with a version: is " +
                             piece.string() + " a piece that comes from a wheel?");
  }
  return {match[1], match[2]};
}

// The metadata that pip leaves beside a package: enough to tell who owns a file, and its version.
void write_metadata(const Distribution& distribution, const std::string& record,
                    const fs::path& site_packages) {
  const std::string name = distribution.name + "-" + distribution.version + ".dist-info";
  fs::create_directories(site_packages / name);
  std::ofstream(site_packages / name / "INSTALLER") << "pip\n";
  std::ofstream(site_packages / name / "METADATA")
      << "Metadata-Version: 2.1\nName: "
      << std::regex_replace(distribution.name, std::regex("_"), "-")
      << "\nVersion: " << distribution.version << "\n";
  std::ofstream(site_packages / name / "RECORD") << record << name << "/INSTALLER,,\n"
                                                 << name << "/METADATA,,\n"
                                                 << name << "/RECORD,,\n";
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

void place_link(const fs::path& at, const fs::path& target) {
  fs::create_directories(at.parent_path());
  fs::remove(at);
  fs::create_symlink(target, at);
}

void install_wheel(const fs::path& piece, const fs::path& site_packages) {
  std::string record;
  for (auto entry = fs::recursive_directory_iterator(piece);
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory()) {
      if (entry->path().filename() == "include") entry.disable_recursion_pending();
      continue;
    }
    // What the cache has noted about the piece is not part of the wheel.
    if (entry->path().filename().string()[0] == '.') continue;
    const fs::path inside = fs::relative(entry->path(), piece);
    place_file(entry->path(), site_packages / inside);
    record += inside.string() + ",,\n";
  }
  write_metadata(distribution_of(piece), record, site_packages);
}

void install_chain(const fs::path& piece, const fs::path& folder) {
  static const std::regex pattern(R"((lib.+\.so)\.\d+(\.\d+)*)");
  const std::string version = distribution_of(piece).version;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(piece)) {
    const std::string name = entry.path().filename().string();
    std::smatch match;
    if (!entry.is_regular_file() || !std::regex_match(name, match, pattern)) continue;
    const std::string stem = match[1];
    if (stem == "libOpenCL.so") continue;  // has a version of its own
    place_file(entry.path(), folder / (stem + "." + version));
    place_link(folder / name, stem + "." + version);
    place_link(folder / stem, name);
  }
}

void install_flat(const fs::path& piece, const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(piece)) {
    if (!is_library(entry.path())) continue;
    if (entry.is_symlink()) {
      place_link(folder / entry.path().filename(), fs::read_symlink(entry.path()));
    } else if (entry.is_regular_file()) {
      place_file(entry.path(), folder / entry.path().filename());
    }
  }
}

}  // namespace anycuda::test
