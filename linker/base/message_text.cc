// SPDX-License-Identifier: Apache-2.0
#include "linker/base/message_text.h"

#include "compat/library/errors/one_line.h"

namespace anycuda::linker {

std::string describe(Version version) {
  if (!version.known()) return "unknown";
  const std::string text = std::to_string(version.major);
  return version.minor < 0 ? text : text + "." + std::to_string(version.minor);
}

std::string in_one_line(std::string_view text) { return compat::one_line(text); }

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 4096;  // a path has room
  return "'" + in_one_line(text.substr(0, kMost)) + (text.size() > kMost ? "...'" : "'");
}

std::string joined(const std::vector<std::string>& pieces, const char* between) {
  std::string text;
  for (const std::string& piece : pieces) text += (text.empty() ? "" : between) + piece;
  return text;
}

}  // namespace anycuda::linker
