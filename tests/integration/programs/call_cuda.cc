// SPDX-License-Identifier: Apache-2.0

// A program that asks the driver library directly (steps.h).
#include <cuda.h>

#include "steps.h"

namespace {

using Text = const std::string&;

std::string init(Text) {
  return steps::status("init", [] { return cuInit(0); });
}

template <typename Call>
std::string number(const char* name, Call call) {
  int value = 77;
  const std::string result = steps::status(name, [&] { return call(&value); });
  return result + " " + std::to_string(value);
}

std::string version(Text) { return number("version", cuDriverGetVersion); }
std::string count(Text) { return number("count", cuDeviceGetCount); }

std::string allocate(Text) {
  CUdeviceptr memory = 77;
  const std::string result = steps::status("malloc", [&] { return cuMemAlloc(&memory, 256); });
  return result + " " + std::to_string(memory);
}

std::string error_name(Text text) {
  const char* name = "untouched";
  const int result = cuGetErrorName(static_cast<CUresult>(std::stoi(text)), &name);
  return std::to_string(result) + " " + (name != nullptr ? name : "null");
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv,
                         {{"init", init},
                          {"version", version},
                          {"count", count},
                          {"malloc", allocate},
                          {"error-name", error_name}});
}
