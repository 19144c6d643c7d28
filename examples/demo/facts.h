// SPDX-License-Identifier: Apache-2.0

// What the demo expects, as data and rules; nothing here looks at a machine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace anycuda::demo {

// What is known of a CUDA release that the demo installs. Each value was read from the real
// libraries: `demo --native` asks them again, without any stub.
struct Release {
  int major;
  std::string version;      // of cudart, nvrtc and nvJitLink, and of their artifacts' names
  std::string cudart_file;  // names of the files that are loaded
  std::string nvrtc_file;
  std::string nvjitlink_file;      // empty: this release has no nvJitLink
  std::string ptx_version;         // PTX ISA that its NVRTC writes
  bool tells_version_without_gpu;  // cudaRuntimeGetVersion; the one of 11.8 fails like any other,
                                   // for its own programs call
};
const std::vector<Release>& releases();

// The driver library that the demo uses. No GPU is behind it.
inline constexpr int kDriverBranch = 535;
inline constexpr int kDriverCudaMajor = 12;
inline constexpr const char* kDriverVersion = "12.2";

enum class Program { versions, runtime, nvrtc_compile, jitlink };
const char* program_name(Program program);

// What a machine has.
struct Setup {
  std::string name;            // "11.8", "all three", "none": as the table calls it
  std::vector<int> installed;  // majors
  bool driver = false;
  // The kernel of the computer that runs the demo runs another driver than the library is of.
  bool driver_mismatch = false;
};
std::vector<Setup> setups(bool driver, bool driver_mismatch);

// name -> value, as the programs print them, and two that the demo adds: "ended" and "report".
using Fields = std::map<std::string, std::string>;

// The release that serves the program on that machine: the newest that is there and fits the
// driver; for a linker the program's own, where that is there.
std::optional<Release> serving(Program program, int built_for, const Setup& setup);

// Empty: the program does not exist (nvJitLink came with CUDA 12).
std::optional<Fields> expected(Program program, int built_for, const Setup& setup);

}  // namespace anycuda::demo
