// SPDX-License-Identifier: Apache-2.0

// A second implementation of loader/adapter.h, on made-up libraries.
#include "tests/stubs/adapters/fake_library.h"

#include <map>

#include "loader/stub_copies.h"

// The only copy of its stub.
const anycuda::CopyTable anycuda_copy = {24, anycuda::kCopyProtocol, 0, 0, nullptr, {0}};

namespace anycuda {

void* function_of_leader(int) { return nullptr; }

namespace {

std::map<std::string, void*>& functions() {
  static std::map<std::string, void*> all;
  return all;
}
thread_local Status last = 0;
thread_local Status library = 0;
std::vector<std::string> reasons;

void* look_up(const char* name) {
  const auto found = functions().find(name);
  return found != functions().end() ? found->second : nullptr;
}

}  // namespace

// Nothing is kept: the next test has other functions.
void* find_library_function(std::atomic<void*>*, const char* name) { return look_up(name); }
void* find_driver_function(std::atomic<void*>*, const char* name) { return look_up(name); }

int library_release() { return 11080; }

Status remember(Status status) {
  last = status;
  return status;
}

Status refuse(Status status, const char* function, const char* why) {
  reasons.push_back(std::string(function) + ": " + why);
  return remember(status);
}

Status refuse_old_driver(Status status, const char* function, const char* why) {
  return refuse(status, function, why);
}

Status missing_function(const char* name) { return refuse(302, name, "missing"); }

KeepLastError::KeepLastError() : before_(library) {}
KeepLastError::~KeepLastError() { library = before_; }

namespace test {

void fake_address(const char* name, void* function) { functions()[name] = function; }
Status remembered() { return last; }
void set_library_error(Status status) { library = status; }
Status library_error() { return library; }
const std::vector<std::string>& refused() { return reasons; }
void reset() {
  functions().clear();
  last = 0;
  library = 0;
  reasons.clear();
}

}  // namespace test
}  // namespace anycuda
