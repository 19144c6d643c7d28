// SPDX-License-Identifier: Apache-2.0

// A place for a runtime to write to, between bytes that must stay as they are.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

namespace conformance {

template <typename T>
class Guarded {
 public:
  // What the caller has on its stack is never zero by luck.
  Guarded() { std::memset(memory_, kPattern, sizeof memory_); }
  explicit Guarded(const T& value) : Guarded() { std::memcpy(get(), &value, sizeof value); }

  T* get() { return reinterpret_cast<T*>(memory_ + kGuard); }
  const T* get() const { return reinterpret_cast<const T*>(memory_ + kGuard); }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }

  bool intact() const { return damage().empty(); }
  // Whether the object itself is unwritten, too.
  bool untouched() const {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      if (memory_[kGuard + i] != kPattern) return false;
    }
    return true;
  }
  std::string damage() const {
    for (std::size_t i = 0; i < kGuard; ++i) {
      if (memory_[i] != kPattern) return "before it, at -" + std::to_string(kGuard - i);
    }
    for (std::size_t i = kGuard + sizeof(T); i < sizeof memory_; ++i) {
      if (memory_[i] != kPattern) {
        return "past its end, at " + std::to_string(i - kGuard) + " of " +
               std::to_string(sizeof(T));
      }
    }
    return "";
  }

 private:
  // More than any struct differs between two majors (304 bytes), and aligned as any struct may be.
  static constexpr std::size_t kGuard = 512;
  static constexpr unsigned char kPattern = 0xA5;
  alignas(16) unsigned char memory_[kGuard + sizeof(T) + kGuard];
};

}  // namespace conformance
