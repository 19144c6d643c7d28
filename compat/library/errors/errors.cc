// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/errors.h"

#include "compat/library/errors/one_line.h"

namespace anycuda::compat {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text.append(text.empty() ? "" : "\n").append(one_line(line));
  return text;
}

}  // namespace

// Every exception of this library is made here.
Error::Error(const std::vector<std::string>& lines) : std::runtime_error(joined(lines)) {}

}  // namespace anycuda::compat
