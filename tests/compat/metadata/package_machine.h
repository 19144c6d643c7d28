// SPDX-License-Identifier: Apache-2.0

// Packages of conda and dpkg on a machine, with the records that the managers write.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "metadata_machine.h"

namespace anycuda::test {

struct CondaPackage {
  std::string name;
  std::string version;
  std::vector<std::string> files;  // below the prefix; they have to be put there
  std::vector<std::string> depends{};
  std::string build = "h5888daf_0";
};

inline std::string json_list(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    list += (list.size() > 1 ? ",\n    \"" : "\n    \"") + text + "\"";
  }
  return list + "\n  ]";
}

inline std::string conda_record(const CondaPackage& package) {
  return "conda-meta/" + package.name + "-" + package.version + "-" + package.build + ".json";
}

inline void put_conda(Machine* machine, const CondaPackage& package,
                      const std::string& prefix = "conda") {
  machine->put_file(
      prefix + "/" + conda_record(package),
      "{\n  \"build\": \"" + package.build + "\",\n  \"constrains\": [],\n  \"depends\": " +
          json_list(package.depends) + ",\n  \"files\": " + json_list(package.files) +
          ",\n  \"license\": \"\\u00a9 NVIDIA \\\"EULA\\\"\",\n  \"link\": {\n    \"type\": 1\n  "
          "}," +
          "\n  \"name\": \"" + package.name + "\",\n  \"version\": \"" + package.version + "\"\n}");
}

// `files`: as dpkg has them, "/usr/lib/...".
inline void put_dpkg(Machine* machine, const std::string& package, const std::string& version,
                     const std::vector<std::string>& files) {
  std::string list = "/.\n";
  for (const std::string& file : files) list += file + "\n";
  machine->put_file("var/lib/dpkg/info/" + package + ".list", list);
  const auto status = machine->root() / "var/lib/dpkg/status";
  std::string text;
  if (std::filesystem::exists(status)) {
    std::ifstream in(status);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  machine->put_file(status, text + "Package: " + package.substr(0, package.find(':')) +
                                "\nStatus: install ok installed\nPriority: optional\nVersion: " +
                                version + "\nDescription: CUDA\n of a test\n\n");
}

// The machine's root is the system's while it lives.
class OnSystem {
 public:
  explicit OnSystem(const Machine& machine) {
    setenv("ANYCUDA_SYSTEM_ROOT", machine.root().c_str(), 1);
  }
  ~OnSystem() { unsetenv("ANYCUDA_SYSTEM_ROOT"); }
  OnSystem(const OnSystem&) = delete;
  OnSystem& operator=(const OnSystem&) = delete;
};

}  // namespace anycuda::test
