// SPDX-License-Identifier: Apache-2.0

// A line of options and its words. Pure.
#pragma once

#include <string>
#include <vector>

namespace anycuda::linker {

// Splits at blanks, with quotes and backslashes as in a shell. Throws OptionError for a quote that
// is not closed.
std::vector<std::string> words_of(const std::string& text);

// One line that words_of() splits into these words.
std::string line_of(const std::vector<std::string>& words);

}  // namespace anycuda::linker
