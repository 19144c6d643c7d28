// SPDX-License-Identifier: Apache-2.0

// The toolkit of a file, in an environment with two wheels, a metapackage and a header, a package
// of conda's, one of dpkg's and a version.json. Input: the texts of cuda.h, the wheels' RECORDs,
// their METADATA and the metapackage's, conda's record, dpkg's list and status, the version.json,
// in this order, with lines of "%%" between them.
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "compat/metadata/site_packages.h"
#include "compat/metadata/toolkit_version.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/memory_file.h"

namespace {

using anycuda::fuzz::must;

constexpr char kSite[] = "lib/python3.11/site-packages/";
constexpr const char* kParts[] = {"nvidia/cu13/include/cuda.h",
                                  "nvidia_cuda_runtime-13.0.96.dist-info/RECORD",
                                  "nvidia_cublas-13.1.0.3.dist-info/RECORD",
                                  "nvidia_cuda_runtime-13.0.96.dist-info/METADATA",
                                  "nvidia_cublas-13.1.0.3.dist-info/METADATA",
                                  "cuda_toolkit-13.0.2.dist-info/METADATA",
                                  "conda-meta/cuda-cudart-13.0.96-0.json",
                                  "var/lib/dpkg/info/libcudart13.list",
                                  "var/lib/dpkg/status",
                                  "version.json"};
constexpr int kInSite = 6;  // the first ones are below kSite
constexpr int kPartCount = sizeof kParts / sizeof *kParts;

struct Environment {
  Environment() {
    for (int i = 0; i < kPartCount; ++i)
      folder.link((i < kInSite ? kSite : "") + std::string(kParts[i]), parts[i].path());
    folder.file("lib/libcudart.so.13", "");
    folder.file("usr/lib/libcudart.so.13", "");
    folder.file(kSite + std::string("nvidia/cu13/lib/libcudart.so.13"), "");
    folder.file("bin/ptxas", "");
  }
  void fill(std::string_view input) {
    for (anycuda::fuzz::MemoryFile& part : parts) {
      const std::size_t end = input.find("\n%%\n");
      const std::string_view text = input.substr(0, end);
      part.fill(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      input = end == input.npos ? std::string_view() : input.substr(end + 4);
    }
  }
  anycuda::fuzz::Folder folder;
  anycuda::fuzz::MemoryFile parts[kPartCount];
};

anycuda::ToolkitVersion ask(const std::string& path, const std::string& root,
                            anycuda::Arena* arena) {
  anycuda::Sites sites(arena, root.c_str());
  return anycuda::toolkit_version_of(path.c_str(), arena, &sites);
}

void check(const anycuda::fuzz::Folder& folder, const std::string& name) {
  static anycuda::Arena arena;
  arena.rewind(0);
  const std::string path = folder.path(name);
  const anycuda::ToolkitVersion answer = ask(path, folder.root(), &arena);
  must(answer.source != nullptr && answer.file != nullptr && answer.problem != nullptr,
       "texts are texts");
  const bool known = answer.version.known();
  must(known == (answer.problem[0] == '\0'), "a version is known, or there is a problem");
  must(known == (answer.source[0] != '\0' && answer.file[0] == '/'), "what is known has a source");
  const anycuda::ToolkitVersion again = ask(path, folder.root(), &arena);
  must(again.version.major == answer.version.major && again.version.minor == answer.version.minor &&
           std::strcmp(again.problem, answer.problem) == 0,
       "the same files get the same answer");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Environment environment;
  environment.fill({reinterpret_cast<const char*>(data), size});
  const std::string site = kSite;
  for (const std::string& name :
       {site + "nvidia/cu13/lib/libcudart.so.13", site + "nvidia/cu13/include",
        std::string("bin/ptxas"), std::string("lib/libcudart.so.13"),
        std::string("usr/lib/libcudart.so.13")}) {
    check(environment.folder, name);
  }
  return 0;
}
