// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstring>

#include "linker/base/message_text.h"
#include "linker/inputs/check.h"

namespace anycuda::linker {
namespace {

constexpr std::size_t kLeastLog = 16;
constexpr int kMostThreads = 1 << 20;
constexpr std::size_t kMostLog = std::size_t{1} << 30;

template <typename Enumeration>
void check_known(const char* option, Enumeration value, Enumeration last) {
  if (value > last) refuse(option, "has a value that its enumeration does not have");
}

void check_values(const Options& options) {
  check_known("output", options.output, Output::lto_ir);
  check_known("rule", options.rule, Rule::newer_driver);
  if (options.backend) check_known("backend", *options.backend, Backend::driver);
  if (options.cache_mode) check_known("cache_mode", *options.cache_mode, CacheMode::l1_and_l2);
  check_range("optimization_level", options.optimization_level, 0, 4);
  check_range("jump_table_density", options.jump_table_density, 0, 101);
  check_registers(options.max_registers);
  check_threads("split_compile", options.split_compile);
  check_threads("split_compile_extended", options.split_compile_extended);
  check_texts("kernels_used", options.kernels_used);
  check_texts("variables_used", options.variables_used);
  check_texts("ptxas_options", options.ptxas_options, kLongest);
  check_texts("nvvm_options", options.nvvm_options);
  if (options.log_bytes < kLeastLog || options.log_bytes > kMostLog) {
    refuse("log_bytes",
           "cannot be " + std::to_string(options.log_bytes) + ": expected 16 bytes to 1 GiB");
  }
}

void check_together(const Options& options) {
  if (options.output != Output::cubin && !options.lto) {
    refuse("output", std::string("is ") + name_of(options.output) +
                         ", which needs link-time optimisation: set Options::lto");
  }
  if (options.output == Output::ptx && options.incremental) {
    refuse("incremental", "does not go with PTX output: a partial link gives CUBIN or LTO-IR");
  }
}

}  // namespace

void refuse(const char* option, const std::string& why) {
  throw OptionError(std::string("the option ") + option + " " + why, option);
}

void check_range(const char* option, const std::optional<int>& value, int least, int most) {
  if (!value || (*value >= least && *value <= most)) return;
  refuse(option, "cannot be " + std::to_string(*value) + ": expected " + std::to_string(least) +
                     " to " + std::to_string(most));
}

void check_registers(const std::optional<int>& value) {
  check_range("max_registers", value, 1, 1 << 20);
}

void check_threads(const char* option, const std::optional<int>& value) {
  check_range(option, value, 0, kMostThreads);
}

void check_texts(const char* option, const std::vector<std::string>& texts, std::size_t longest) {
  for (const std::string& text : texts) {
    if (text.empty()) refuse(option, "has an empty element");
    if (text.size() > longest) {
      refuse(option, "has an element of more than " + std::to_string(longest) + " bytes");
    }
    if (text.find('\0') != std::string::npos) {
      refuse(option, "has an element with a zero byte: " + quoted(text));
    }
  }
}

const char* name_of(Output output) {
  switch (output) {
    case Output::cubin:
      return "CUBIN";
    case Output::ptx:
      return "PTX";
    case Output::lto_ir:
      return "LTO-IR";
  }
  return "unknown";
}

InputType type_of(Output output) {
  switch (output) {
    case Output::ptx:
      return InputType::ptx;
    case Output::lto_ir:
      return InputType::lto_ir;
    default:
      return InputType::cubin;
  }
}

bool is_virtual(const std::string& arch) { return arch.rfind("compute_", 0) == 0; }

std::string real_arch(const std::string& arch) {
  return is_virtual(arch) ? "sm_" + arch.substr(std::strlen("compute_")) : arch;
}

unsigned number_of(const std::string& arch) {
  unsigned number = 0;
  for (const char c : arch) {
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

void check_arch(const std::string& arch) {
  if (arch.empty()) return;
  const std::size_t start = is_virtual(arch) ? std::strlen("compute_") : std::strlen("sm_");
  std::size_t at = start;
  while (at < arch.size() && std::isdigit(static_cast<unsigned char>(arch[at])) != 0) ++at;
  const bool numbered = at > start && at - start <= 4;
  if (at < arch.size() && (arch[at] == 'a' || arch[at] == 'f')) ++at;
  const bool begins = is_virtual(arch) || arch.rfind("sm_", 0) == 0;
  if (!begins || !numbered || at != arch.size()) {
    refuse("arch",
           "cannot be " + quoted(arch) + ": expected a name such as sm_80, sm_90a or compute_80");
  }
}

void check(const Options& options) {
  check_arch(options.arch);
  check_values(options);
  check_together(options);
}

}  // namespace anycuda::linker
