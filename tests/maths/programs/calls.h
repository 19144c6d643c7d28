// SPDX-License-Identifier: Apache-2.0

// What the programs of the maths libraries share. A program makes the calls of every group, or of
// the groups that its arguments name, and prints one line per call:
//
//   = name: status value value...
//
// The "=" distinguishes these lines from those that a library prints itself. Two programs that
// were built for different majors use one name for one call, so that their lines can be compared.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "integration/programs/steps.h"

namespace calls {

inline std::string text(const char* value) { return value == nullptr ? "(null)" : value; }
inline std::string text(const std::string& value) { return value; }
// A pointer's value is chance; whether it is null is not.
inline std::string text(const void* value) { return value == nullptr ? "null" : "pointer"; }
inline std::string text(void* value) { return text(static_cast<const void*>(value)); }
inline std::string text(double value) {
  char exact[64];
  std::snprintf(exact, sizeof(exact), "%a", value);
  return exact;
}
inline std::string text(float value) { return text(static_cast<double>(value)); }
template <typename Number, typename = std::enable_if_t<(std::is_integral<Number>::value ||
                                                        std::is_enum<Number>::value)>>
std::string text(Number value) {
  return std::to_string(static_cast<long long>(value));
}

// A call's name, its status, and what it filled in. The values are references: the call of
// `line(name, call(&x), x)` is made before x is read. (A temporary of x would be made before or
// after the call, as the compiler likes.)
template <typename... Values>
void line(const std::string& name, const Values&... values) {
  std::string all;
  (void)std::initializer_list<int>{(all += " " + text(values), 0)...};
  std::printf("= %s:%s\n", name.c_str(), all.c_str());
  std::fflush(stdout);  // at once: if a later call crashes, the earlier ones must still be there
}

// The three properties that every library has, and one that does not exist.
template <typename Status>
void properties(const std::string& name, Status (*ask)(libraryPropertyType, int*)) {
  for (const int type : {0, 1, 2, 77}) {
    int value = -1;
    const Status status = ask(static_cast<libraryPropertyType>(type), &value);
    line(name + " " + std::to_string(type), status, value);
  }
}

// Memory for an object that a library initialises in place, with guard bytes on both sides.
class Guarded {
 public:
  explicit Guarded(std::size_t size) : size_(size), bytes_(size + 2 * kGuard, kByte) {}
  template <typename Object>
  Object* as() {
    return reinterpret_cast<Object*>(bytes_.data() + kGuard);
  }
  bool intact() const {
    for (std::size_t i = 0; i < kGuard; ++i) {
      if (bytes_[i] != kByte || bytes_[kGuard + size_ + i] != kByte) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 512;
  static constexpr unsigned char kByte = 0xa5;
  std::size_t size_;
  std::vector<unsigned char> bytes_;
};

// FNV-1a, to compare many numbers in one line.
template <typename Number>
std::uint64_t digest(const std::vector<Number>& numbers) {
  std::uint64_t hash = 1469598103934665603u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  for (std::size_t i = 0; i < numbers.size() * sizeof(Number); ++i) {
    hash = (hash ^ bytes[i]) * 1099511628211u;
  }
  return hash;
}

struct Group {
  const char* name;
  void (*make)();
};

// Every group without arguments; else the groups and the steps (steps.h) that the arguments name,
// in that order.
inline int make(int argc, char** argv, const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    if (argc == 1) group.make();
  }
  for (int i = 1; i < argc; ++i) {
    bool made = false;
    for (const Group& group : groups) {
      if (std::strcmp(argv[i], group.name) != 0) continue;
      group.make();
      made = true;
    }
    if (!made && !steps::make({}, argv[i])) return 2;
  }
  return 0;
}

}  // namespace calls
