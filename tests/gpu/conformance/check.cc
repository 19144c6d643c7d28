// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <cstdio>
#include <utility>

namespace conformance {

namespace {

constexpr int kSymbolNotFound = 302;
constexpr int kNotSupported = 801;

int all_failures = 0;
bool own_absence = false;

std::string named(cudaError_t status) {
  return std::to_string(static_cast<int>(status)) + " " + cudaGetErrorName(status);
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// cudaRuntimeGetVersion may fail without a GPU; 0.0 then.
std::string versions() {
  int runtime = 0;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess) cudaGetLastError();
  return "(built " + version(CUDART_VERSION) + ", runtime " + version(runtime) + ")";
}

std::string function_of(const char* text) {
  const std::string whole = text;
  return whole.substr(0, whole.find('('));
}

}  // namespace

Check::Check(std::string name) : name_(std::move(name)) { cudaGetLastError(); }

Check::~Check() {
  if (absent_) return;
  if (failures_ == 0) {
    const cudaError_t left = cudaPeekAtLastError();
    if (left != cudaSuccess) fail("all calls succeeded, and left the last error " + named(left));
  }
  if (failures_ == 0) std::printf("ok %s\n", name_.c_str());
}

bool Check::call(const char* text, cudaError_t status) {
  if (status == cudaSuccess) return true;
  const int number = static_cast<int>(status);
  if (number == kSymbolNotFound || number == kNotSupported) {
    absence(text, status);
  } else {
    fail(std::string(text) + " returned " + named(status) + ", expected success");
    cudaGetLastError();
  }
  return false;
}

void Check::absence(const char* text, cudaError_t status) {
  std::printf("absent %s %s %d\n", name_.c_str(), function_of(text).c_str(),
              static_cast<int>(status));
  const bool own = std::exchange(own_absence, false);
  const cudaError_t last = cudaGetLastError();
  if (!own && last != status) {
    fail(function_of(text) + " returned " + named(status) + ", but cudaGetLastError " +
         named(last));
  }
  absent_ = true;
}

bool Check::status(const std::string& field, const char* text, cudaError_t status) {
  if (static_cast<int>(status) == kSymbolNotFound) {
    absence(text, status);
    return false;
  }
  value(field, static_cast<int>(status));
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess;
}

void Check::fail(const std::string& what) {
  std::printf("FAIL %s %s %s\n", name_.c_str(), what.c_str(), versions().c_str());
  ++failures_;
  ++all_failures;
}

void Check::expect(const char* text, bool holds) {
  if (!holds) fail(std::string("expected ") + text);
}

void Check::print_value(const std::string& field, const std::string& text) {
  std::printf("value %s.%s=%s\n", name_.c_str(), field.c_str(), text.c_str());
}

int failures() { return all_failures; }

void note_own_absence() { own_absence = true; }

}  // namespace conformance
