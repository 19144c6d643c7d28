#include "compat/library/guard_rails_words.h"

namespace anycuda::compat {

std::string words(Version version) {
  const std::string major = std::to_string(version.major);
  return version.minor < 0 ? major : major + "." + std::to_string(version.minor);
}

std::string words(const Item& item) {
  std::string text = std::string(item.piece->name) + " (" + std::string(name_of(item.piece->kind));
  text += item.version.known() ? ") of CUDA " + words(item.version) + ": " : "): ";
  text += item.path;
  if (!item.source.empty()) text += " (" + item.source + ")";
  return text;
}

std::string quoted(const char* text) {
  constexpr std::size_t kLongest = 80;
  std::string out = "\"";
  for (std::size_t i = 0; text[i] != '\0'; ++i) {
    if (i == kLongest) return out + "...\"";
    const bool plain = text[i] >= 0x20 && text[i] < 0x7f;
    out += plain ? text[i] : '?';
  }
  return out + "\"";
}

Message& Message::line(const char* title, const std::string& text) {
  text_ += std::string("\n  ") + title + ": " + text;
  return *this;
}

Message& Message::note_if_loaded(bool loaded) {
  if (loaded) line("note", "the library is loaded already, and stays so until the process ends");
  return *this;
}

}  // namespace anycuda::compat
