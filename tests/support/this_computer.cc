// SPDX-License-Identifier: Apache-2.0
#include "this_computer.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace anycuda::test {
namespace {

std::string content(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace

bool computer_has_cuda() {
  // Files are looked at, because loading a driver to find out would start it in this process.
  const std::string cache = content("/etc/ld.so.cache");
  for (const char* name : {"libcuda.so", "libcudart.so", "libnvrtc.so", "libnvrtc-builtins.so",
                           "libnvJitLink.so", "libnvidia-ml.so"}) {
    if (cache.find(std::string("/") + name) != std::string::npos) return true;
  }
  for (const char* folder :
       {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/lib",
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    if (std::filesystem::exists(std::filesystem::path(folder) / "libcuda.so.1")) return true;
  }
  return false;
}

std::string running_driver() {
  static const std::regex version(R"(\b\d+\.\d+(\.\d+)?\b)");
  const std::string text = content("/proc/driver/nvidia/version");
  std::smatch match;
  return std::regex_search(text, match, version) ? match.str() : "";
}

}  // namespace anycuda::test
