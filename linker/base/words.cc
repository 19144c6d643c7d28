#include "linker/base/words.h"

#include <cstdio>

namespace anycuda::linker {

std::string words(Version version) {
  if (!version.known()) return "unknown";
  const std::string text = std::to_string(version.major);
  return version.minor < 0 ? text : text + "." + std::to_string(version.minor);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 4096;  // a path has room
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    char escaped[8] = {c, '\0'};
    if (byte < 0x20 || byte == 0x7f) std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
    out += escaped;
  }
  return out + (text.size() > kMost ? "...'" : "'");
}

std::string joined(const std::vector<std::string>& pieces, const char* between) {
  std::string text;
  for (const std::string& piece : pieces) text += (text.empty() ? "" : between) + piece;
  return text;
}

}  // namespace anycuda::linker
