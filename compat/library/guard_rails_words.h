// How messages name pieces, and the lines that they are made of.
#pragma once

#include <string>

#include "compat/library/guard_rails_item.h"

namespace anycuda::compat {

std::string words(Version version);  // "12.9", "12" where the minor is not known
// "nvrtc (dynamic library) of CUDA 12.9: /usr/lib/libnvrtc.so.12 (wheel nvidia-cuda-nvrtc 12.9.86)"
std::string words(const Item& item);

// A text from outside, of any length and with any bytes in it, as a part of a line: "text".
std::string quoted(const char* text);

// A headline, and lines below it: "  found: ...".
class Message {
 public:
  explicit Message(std::string headline) : text_(std::move(headline)) {}
  Message& line(const char* title, const std::string& text);
  // Whoever is refused a library that is in the process must know that it stays there.
  Message& note_if_loaded(bool loaded);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace anycuda::compat
