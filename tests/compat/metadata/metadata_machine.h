// SPDX-License-Identifier: Apache-2.0

// A machine for queries about the toolkits of files, with distributions and headers made up for a
// test, as pip and NVIDIA's installer leave them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "anycuda/compat/metadata.h"
#include "support/machine.h"

namespace anycuda::test {

inline constexpr Component cuda_toolkit{"cuda-toolkit"};

struct FakeWheel {
  std::string name;
  std::string version;
  std::vector<std::string> files;           // below site-packages; cuda.h has to be put there
  std::vector<std::string> requirements{};  // Requires-Dist
};

inline std::string metadata_folder(const FakeWheel& wheel) {
  std::string name = wheel.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "-" + wheel.version + ".dist-info";
}

inline void put_wheel(Machine* machine, const FakeWheel& wheel,
                      const std::string& site = "venv/lib/python3.12/site-packages") {
  const std::string folder = metadata_folder(wheel);
  std::string record = folder + "/METADATA,,\n" + folder + "/RECORD,,\n";
  for (const std::string& file : wheel.files) {
    record += file + ",sha256=abc,1\n";
    const auto path = machine->resolve(site + "/" + file);
    if (!std::filesystem::exists(path)) machine->put_file(path, "");
  }
  std::string metadata =
      "Metadata-Version: 2.1\nName: " + wheel.name + "\nVersion: " + wheel.version + "\n";
  for (const std::string& one : wheel.requirements) metadata += "Requires-Dist: " + one + "\n";
  machine->put_file(site + "/" + folder + "/METADATA", metadata + "\nA description.\n");
  machine->put_file(site + "/" + folder + "/RECORD", record);
}

inline std::string header_text(int number) {
  return "/* API version */\n#define CUDA_VERSION " + std::to_string(number) + "\n";
}

inline std::string text(Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

// "12.9" or why not, so that a failing test shows it.
inline std::string version_of(const compat::ToolkitAnswer& answer) {
  return answer.version.known() ? text(answer.version) : "unknown: " + answer.problem;
}

inline compat::ToolkitAnswer ask(const std::filesystem::path& file) {
  return compat::ToolkitMetadata().of_file(file.string());
}

inline constexpr char kRuntime[] = "nvidia/cuda_runtime/lib/libcudart.so.12";
inline constexpr char kHeader[] = "nvidia/cuda_runtime/include/cuda.h";
inline constexpr char kCublas[] = "nvidia/cublas/lib/libcublas.so.12";

class MetadataMachine : public ::testing::Test {
 protected:
  std::filesystem::path site(const std::string& file) const {
    return machine_.site_packages() / file;
  }
  std::filesystem::path root(const std::string& file) const { return machine_.root() / file; }
  void put_header(const std::filesystem::path& path, int number) {
    machine_.put_file(path, header_text(number));
  }
  Machine machine_;
};

}  // namespace anycuda::test
