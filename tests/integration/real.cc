// SPDX-License-Identifier: Apache-2.0
#include "real.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace anycuda::test {
namespace fs = std::filesystem;

Path stub(const std::string& library) {
  return Path(ANYCUDA_STUBS) / ("lib" + library + "_stub.so");
}
std::vector<Path> all_stubs() {
  constexpr std::string_view kEnd = "_stub.so";
  std::vector<Path> files;
  for (const auto& entry : fs::directory_iterator(ANYCUDA_STUBS)) {
    const std::string name = entry.path().filename().string();
    const bool is_stub = name.size() > kEnd.size() &&
                         name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
    if (is_stub) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}
Path dropin_folder() { return Path(ANYCUDA_STUBS) / "dropin"; }
Path patched(const std::string& program) { return Path(REAL_PATCHED) / program; }
Path native(const std::string& program) { return Path(REAL_NATIVE) / program; }
Path linked(const std::string& program) { return Path(REAL_LINKED) / program; }
Path versionless(const std::string& program) { return Path(REAL_VERSIONLESS) / program; }
Path fake(const std::string& name) { return Path(REAL_FAKES) / (name + ".so"); }
Path kernels(const std::string& release) {
  return Path(REAL_KERNELS) / ("kernels-" + release + ".so");
}
Path native_kernels(const std::string& release) {
  return Path(REAL_KERNELS) / "native" / ("kernels-" + release + ".so");
}
Path strace() { return REAL_STRACE; }
Path python() { return REAL_PYTHON; }
Path strip() { return REAL_STRIP; }

Path library_of(Component component, const std::string& version) {
  const Path artifact =
      Artifacts::of_this_build().folder(std::string(component.name) + "-" + version);
  for (const auto& entry : fs::recursive_directory_iterator(artifact)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.find("builtins") != std::string::npos ||
        name.find(".alt.") != std::string::npos) {
      continue;
    }
    for (const char* prefix :
         {"libcudart.so.", "libnvrtc.so.", "libnvJitLink.so.", "libnvjpeg.so."}) {
      if (name.rfind(prefix, 0) == 0) return entry.path();
    }
  }
  throw std::runtime_error("no library in " + artifact.string());
}

void copy_with_soname(const Path& from, const Path& to, const std::string& soname) {
  fs::create_directories(to.parent_path());
  fs::copy_file(from, to);
  patch_elf(to, {"--set-soname", soname});
}

void patch_elf(const Path& file, const std::vector<std::string>& options) {
  ProcessSpec spec;
  spec.argv = {REAL_PATCHELF};
  spec.argv.insert(spec.argv.end(), options.begin(), options.end());
  spec.argv.push_back(file.string());
  const ProcessResult result = run_process(spec);
  if (!result.ok()) throw std::runtime_error("patchelf: " + result.describe());
}

std::string content(const Path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string answer(const ProcessResult& result, const std::string& name) {
  for (const std::string& line : answers(result)) {
    if (line.rfind(name + ": ", 0) == 0) return line.substr(name.size() + 2);
  }
  return "no answer to " + name + "; " + result.describe();
}

std::string why_not_built(const Path& program) {
  if (fs::exists(program)) return "";
  return program.string() +
         " could not be built: CMake's configure step names the missing artifact";
}

}  // namespace anycuda::test
