// SPDX-License-Identifier: Apache-2.0

// A program built for one CUDA major that calls NVRTC (steps.h).
#include <nvrtc.h>

#include "steps.h"

namespace {

using Text = const std::string&;

std::string version(Text) {
  int major = 77, minor = 77;
  const std::string result = steps::status("version", [&] { return nvrtcVersion(&major, &minor); });
  return result + " " + std::to_string(major) + "." + std::to_string(minor);
}

std::string create(Text) {
  auto program = reinterpret_cast<nvrtcProgram>(&version);
  const std::string result = steps::status(
      "create", [&] { return nvrtcCreateProgram(&program, "", "x.cu", 0, nullptr, nullptr); });
  return result + (program == nullptr ? " null" : " not null");
}

std::string error_string(Text text) {
  return nvrtcGetErrorString(static_cast<nvrtcResult>(std::stoi(text)));
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(
      argc, argv, {{"version", version}, {"create", create}, {"error-string", error_string}});
}
