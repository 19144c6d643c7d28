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

bool computer_has_driver_library() {
  // Files are looked at, because loading the driver to find out would start it in this process.
  for (const char* folder :
       {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/lib",
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    if (std::filesystem::exists(std::filesystem::path(folder) / "libcuda.so.1")) return true;
  }
  return content("/etc/ld.so.cache").find("/libcuda.so.1") != std::string::npos;
}

std::string running_driver() {
  static const std::regex version(R"(\b\d+\.\d+(\.\d+)?\b)");
  const std::string text = content("/proc/driver/nvidia/version");
  std::smatch match;
  return std::regex_search(text, match, version) ? match.str() : "";
}

}  // namespace anycuda::test
