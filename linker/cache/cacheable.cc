// SPDX-License-Identifier: Apache-2.0
#include "linker/cache/cacheable.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace anycuda::linker {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t size>
bool is_one_of(std::string_view name, const std::string_view (&names)[size]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// NVRTC documentation, "Supported Compile Options": the names, without the first hyphens, of
// options that affect only the result and its log. An option of a later NVRTC is not cached until
// it is added here.
constexpr std::string_view kPure[] = {"gpu-architecture",
                                      "arch",
                                      "device-c",
                                      "dc",
                                      "device-w",
                                      "dw",
                                      "relocatable-device-code",
                                      "rdc",
                                      "extensible-whole-program",
                                      "ewp",
                                      "device-debug",
                                      "G",
                                      "generate-line-info",
                                      "lineinfo",
                                      "dopt",
                                      "ptxas-options",
                                      "Xptxas",
                                      "maxrregcount",
                                      "ftz",
                                      "prec-sqrt",
                                      "prec-div",
                                      "fmad",
                                      "use_fast_math",
                                      "extra-device-vectorization",
                                      "modify-stack-limit",
                                      "dlink-time-opt",
                                      "dlto",
                                      "gen-opt-lto",
                                      "optix-ir",
                                      "jump-table-density",
                                      "device-stack-protector",
                                      "define-macro",
                                      "D",
                                      "undefine-macro",
                                      "U",
                                      "std",
                                      "builtin-move-forward",
                                      "builtin-initializer-list",
                                      "disable-warnings",
                                      "w",
                                      "restrict",
                                      "device-as-default-execution-space",
                                      "default-device",
                                      "device-int128",
                                      "device-float128",
                                      "optimization-info",
                                      "opt-info",
                                      "display-error-number",
                                      "err-no",
                                      "no-display-error-number",
                                      "no-err-no",
                                      "diag-error",
                                      "diag-suppress",
                                      "diag-warn",
                                      "brief-diagnostics",
                                      "version-ident",
                                      "split-compile",
                                      "fdevice-syntax-only",
                                      "minimal",
                                      "no-cache",
                                      "no-source-include",
                                      "frandom-seed",
                                      "Ofast-compile",
                                      "Ofc"};
// These read files besides.
constexpr std::string_view kReading[] = {"include-path", "I", "pre-include", "include"};
constexpr std::string_view kWithDebug[] = {"device-debug", "G", "generate-line-info", "lineinfo"};

// -DN=4, -I/folder: the value follows the letter.
std::string_view name_of_option(std::string_view option) {
  std::string_view name = option.substr(option.substr(0, 2) == "--" ? 2 : 1);
  if (option[1] == 'D' || option[1] == 'U' || option[1] == 'I') return name.substr(0, 1);
  return name.substr(0, name.find('='));
}

Problem why_uncacheable(const std::vector<std::string>& options, bool files_known) {
  if (has_options_file(options)) return Problem::unknown_option;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (option.size() < 2 || option[0] != '-') {
      // The value of the option before it, or a file of options.
      if (option.empty() || option[0] == '@' || option == "-") return Problem::unknown_option;
      continue;
    }
    const std::string_view name = name_of_option(option);
    const bool reading = is_one_of(name, kReading);
    if (!reading && !is_one_of(name, kPure)) return Problem::unknown_option;
    if (reading && !files_known) return Problem::reads_files;
    // Its value is an option of ptxas.
    if (option == "-Xptxas" || option == "--ptxas-options") ++i;
  }
  return Problem::none;
}

// Without backslashes at the end of a line, which join it with the next.
std::string joined_lines(std::string_view text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      const std::size_t end = text.find_first_not_of(" \t\r\f\v", i + 1);
      if (end != std::string_view::npos && text[end] == '\n') {
        i = end;
        continue;
      }
    }
    joined += text[i];
  }
  return joined;
}

// Skips blanks and comments from `at` on.
std::size_t skip(std::string_view text, std::size_t at) {
  for (;;) {
    at = std::min(text.find_first_not_of(" \t\f\v\r", at), text.size());
    if (text.substr(at, 2) != "/*") return at;
    const std::size_t end = text.find("*/", at + 2);
    at = end == std::string_view::npos ? text.size() : end + 2;
  }
}

// "name" or <name> at `at`; "" for anything else, such as a macro.
std::string_view operand(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '"' && text[at] != '<')) return {};
  const std::size_t end = text.find_first_of(text[at] == '"' ? "\"\n" : ">\n", at + 1);
  if (end == std::string_view::npos || text[end] == '\n') return {};
  return text.substr(at + 1, end - at - 1);
}

// Includes a file that is not in memory, or may do so.
bool may_read(const std::string& text, const std::vector<Header>& headers) {
  // A trigraph may be a # or a backslash at the end of a line.
  if (contains(text, "?\?=") || contains(text, "?\?/") || contains(text, "__has_include") ||
      contains(text, "__has_embed"))
    return true;
  const std::string lines = joined_lines(text);
  for (std::size_t at = lines.find_first_of("#%"); at != std::string::npos;
       at = lines.find_first_of("#%", at + 1)) {
    const std::size_t word = skip(lines, at + (lines.compare(at, 2, "%:") == 0 ? 2 : 1));
    if (lines.compare(word, 6, "import") == 0 || lines.compare(word, 5, "embed") == 0) return true;
    if (lines.compare(word, 7, "include") != 0) continue;
    const std::size_t end = word + (lines.compare(word, 12, "include_next") == 0 ? 12 : 7);
    const std::string_view name = operand(lines, skip(lines, end));
    const auto named = [name](const Header& header) { return header.name == name; };
    if (name.empty() || std::none_of(headers.begin(), headers.end(), named)) return true;
  }
  return false;
}

}  // namespace

Problem why_uncacheable(const Source& source, const std::vector<std::string>& options,
                        bool files_known) {
  const Problem problem = why_uncacheable(options, files_known);
  if (problem != Problem::none) return problem;
  const auto has_time = [](const std::string& text) {
    return contains(text, "__DATE__") || contains(text, "__TIME");
  };
  bool time = has_time(source.text);
  bool reads = may_read(source.text, source.headers);
  for (const Header& header : source.headers) {
    time = time || has_time(header.content);
    reads = reads || may_read(header.content, source.headers);
  }
  for (const std::string& option : options) time = time || has_time(option);
  if (time) return Problem::time_macro;
  return reads && !files_known ? Problem::reads_files : Problem::none;
}

bool has_options_file(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return contains(option, "options-file") || contains(option, "optf");
  });
}

bool has_working_folder(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.size() > 1 && option[0] == '-' && is_one_of(name_of_option(option), kWithDebug);
  });
}

}  // namespace anycuda::linker
