// SPDX-License-Identifier: Apache-2.0

// Options as text: as users of nvJitLink, ptxas and NVRTC write them.
//
//   Options options = parse_options("-arch=sm_90 -lto -O3 -Xptxas=-v");
//   std::puts(to_text(options).c_str());  // -arch=sm_90 -lto -O3 -Xptxas=-v
//
// In a text, blanks separate the options; quotes ("..." or '...') and backslashes protect blanks as
// in a shell. A value follows "=" or is the next word (-arch sm_90), and two dashes mean the same
// as one. docs/linker.md has the spellings, in the tables of options. If an option is repeated, the
// last one counts; for a list, each one adds an element.
//
// All functions are pure and thread-safe. They do not check whether values suit each other or the
// installed libraries: Linker and Program do. Sources: nvJitLink documentation, "Supported Link
// Options"; NVRTC documentation, "Supported Compile Options"; nvcc documentation, "Ptxas Options".
#pragma once

#include <string>
#include <vector>

#include "anycuda/linker/options.h"
#include "anycuda/linker/program.h"

namespace anycuda::linker {

// Throws OptionError: an option that is not in the table, a value that is missing or malformed, or
// a quote that is not closed. option() is the field of a malformed value, otherwise the word
// itself.
[[nodiscard]] Options parse_options(const std::string& text);
// The same for separate words, without quotes.
[[nodiscard]] Options parse_option_list(const std::vector<std::string>& words);

// The words for `options`, in the order of the table; parse_option_list() reads them back. Options
// that select a backend (rule, backend, log_bytes) have no text and are left out. Throws
// OptionError for the others without a text: cache_mode, and LTO-IR output.
[[nodiscard]] std::vector<std::string> to_option_list(const Options& options);
// One line, with quotes where a word needs them.
[[nodiscard]] std::string to_text(const Options& options);

// The same for a Program, in the words of NVRTC. Words that are not in the table go to
// ProgramOptions::others, which NVRTC checks. `language` has no text and is left out.
[[nodiscard]] ProgramOptions parse_program_options(const std::string& text);
[[nodiscard]] ProgramOptions parse_program_option_list(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> to_option_list(const ProgramOptions& options);
[[nodiscard]] std::string to_text(const ProgramOptions& options);

}  // namespace anycuda::linker
