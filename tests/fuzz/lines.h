// SPDX-License-Identifier: Apache-2.0

// An input that is several texts, one a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anycuda::fuzz {

class Lines {
 public:
  Lines(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  // The next line; empty ones behind the last.
  std::string next() {
    const std::size_t end = rest_.find('\n');
    std::string line(rest_.substr(0, end));
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return line;
  }
  // All that is left, as it is.
  std::string rest() const { return std::string(rest_); }

 private:
  std::string_view rest_;
};

}  // namespace anycuda::fuzz
