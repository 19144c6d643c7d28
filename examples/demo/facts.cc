// SPDX-License-Identifier: Apache-2.0
#include "facts.h"

#include <algorithm>

namespace anycuda::demo {
namespace {

// Error codes that every CUDA program knows, with the text that goes with them.
struct CudaError {
  const char* code;
  const char* text;
};
// Of cudart where no driver, no driver that is new enough, or no CUDA at all is there.
constexpr CudaError kNoCuda = {"cudaErrorInsufficientDriver (35)",
                               "CUDA driver version is insufficient for CUDA runtime version"};
// Of cudart that reached a driver which has no GPU.
constexpr CudaError kNoGpu = {"cudaErrorNoDevice (100)", "no CUDA-capable device is detected"};
// The same where the computer itself has a GPU, whose driver in the kernel is not of the library's
// version.
constexpr CudaError kMismatch = {"cudaErrorSystemDriverMismatch (803)",
                                 "system has unsupported display driver / cuda driver combination"};
constexpr const char* kNoNvrtc = "NVRTC_ERROR_INTERNAL_ERROR (11)";
constexpr const char* kNoNvjitlink = "NVJITLINK_ERROR_INTERNAL (6)";

CudaError first_error(const std::optional<Release>& release, const Setup& setup) {
  if (!release || !setup.driver) return kNoCuda;
  return setup.driver_mismatch ? kMismatch : kNoGpu;
}

Fields expect_versions(const std::optional<Release>& release, int built_for, const Setup& setup) {
  const bool told = release && (release->tells_version_without_gpu || built_for > release->major);
  return {{"runtime", told ? release->version : first_error(release, setup).code},
          {"driver", setup.driver ? kDriverVersion : "none"},
          {"library", release ? release->cudart_file : "none"}};
}

Fields expect_runtime(const std::optional<Release>& release, const Setup& setup) {
  const CudaError error = first_error(release, setup);
  return {{"device count", error.code}, {"meaning", error.text},
          {"last error", error.code},   {"malloc", error.code},
          {"free", error.code},         {"library", release ? release->cudart_file : "none"}};
}

Fields expect_nvrtc(const std::optional<Release>& release) {
  if (!release) return {{"nvrtc", kNoNvrtc}, {"compile", kNoNvrtc}, {"library", "none"}};
  return {{"nvrtc", release->version},
          {"ptx", "PTX " + release->ptx_version + " for sm_90 with scale"},
          {"cubin", "CUBIN with scale"},
          {"compile", "NVRTC_SUCCESS (0)"},
          {"library", release->nvrtc_file}};
}

Fields expect_jitlink(const std::optional<Release>& release) {
  if (!release) return {{"nvjitlink", kNoNvjitlink}, {"link", kNoNvjitlink}, {"library", "none"}};
  return {{"nvjitlink", release->version},
          {"cubin", "CUBIN with scale and twice"},
          {"link", "NVJITLINK_SUCCESS (0)"},
          {"library", release->nvjitlink_file}};
}

bool has_library(const Release& release, Program program) {
  return program != Program::jitlink || !release.nvjitlink_file.empty();
}

// Each library, or its output, needs a driver of the library's major or a newer one. Without a
// driver no library is refused, since the runtime then reports that.
bool fits_driver(const Release& release, const Setup& setup) {
  return !setup.driver || release.major <= kDriverCudaMajor;
}

}  // namespace

const std::vector<Release>& releases() {
  static const std::vector<Release> all = {
      {11, "11.8", "libcudart.so.11.0", "libnvrtc.so.11.2", "", "7.8", false},
      {12, "12.9", "libcudart.so.12", "libnvrtc.so.12", "libnvJitLink.so.12", "8.8", true},
      {13, "13.5", "libcudart.so.13", "libnvrtc.so.13", "libnvJitLink.so.13", "9.5", true},
  };
  return all;
}

const char* program_name(Program program) {
  switch (program) {
    case Program::versions:
      return "versions";
    case Program::runtime:
      return "runtime";
    case Program::nvrtc_compile:
      return "nvrtc_compile";
    case Program::jitlink:
      return "jitlink";
  }
  return "?";
}

std::vector<Setup> setups(bool driver, bool driver_mismatch) {
  std::vector<Setup> all;
  for (const Release& release : releases()) {
    all.push_back({"only " + release.version, {release.major}, driver, driver_mismatch});
  }
  all.push_back({"all three", {11, 12, 13}, driver, driver_mismatch});
  all.push_back({"none", {}, driver, driver_mismatch});
  return all;
}

std::optional<Release> serving(Program program, int built_for, const Setup& setup) {
  std::optional<Release> best;
  for (const Release& release : releases()) {
    const auto& there = setup.installed;
    if (std::find(there.begin(), there.end(), release.major) == there.end()) continue;
    if (!has_library(release, program) || !fits_driver(release, setup)) continue;
    // A program may bring LTO-IR, which is only promised to work with a linker of the same major.
    if (program == Program::jitlink && best && best->major == built_for) continue;
    best = release;
  }
  return best;
}

std::optional<Fields> expected(Program program, int built_for, const Setup& setup) {
  for (const Release& release : releases()) {
    if (release.major == built_for && !has_library(release, program)) return std::nullopt;
  }
  const std::optional<Release> release = serving(program, built_for, setup);
  Fields fields;
  switch (program) {
    case Program::versions:
      fields = expect_versions(release, built_for, setup);
      break;
    case Program::runtime:
      fields = expect_runtime(release, setup);
      break;
    case Program::nvrtc_compile:
      fields = expect_nvrtc(release);
      break;
    case Program::jitlink:
      fields = expect_jitlink(release);
      break;
  }
  fields["ended"] = "normally";
  // The stub reports that it has no library to hand the call to, but not to a program that only
  // asks, where nothing is installed that could have been refused.
  const bool only_asks = program == Program::versions && setup.installed.empty();
  fields["report"] = release || only_asks ? "no" : "yes";
  return fields;
}

}  // namespace anycuda::demo
