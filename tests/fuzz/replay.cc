// SPDX-License-Identifier: Apache-2.0

// replay FOLDER: runs a fuzz target once on every file of a folder, in the order of their names.
// With any compiler; the corpus is a regression test.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_in(const char* folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// In memory of its very size, so that a read behind its end is seen.
void run(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  bytes.shrink_to_fit();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  const auto files = files_in(arguments[1]);
  for (const auto& file : files) {
    std::printf("%s\n", file.filename().c_str());  // the last one is where it ended
    std::fflush(stdout);
    run(file);
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
