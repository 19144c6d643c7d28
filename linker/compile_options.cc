// SPDX-License-Identifier: Apache-2.0

// NVRTC documentation, "Supported Compile Options".
#include "linker/compile.h"
#include "linker/inputs/check.h"

namespace anycuda::linker {
namespace {

void check(const ProgramOptions& options, Output output) {
  check_arch(options.arch);
  check_texts("standard", options.standard.empty() ? std::vector<std::string>{}
                                                   : std::vector<std::string>{options.standard});
  check_texts("include_folders", options.include_folders);
  check_texts("defines", options.defines);
  check_texts("others", options.others);
  check_registers(options.max_registers);
  if (output > Output::lto_ir) refuse("output", "has a value that its enumeration does not have");
}

}  // namespace

const char* name_of(Language language) {
  switch (language) {
    case Language::cuda:
      return "CUDA C++";
    case Language::ptx:
      return "PTX";
    case Language::nvvm_ir:
      return "NVVM IR";
  }
  return "unknown";
}

void compile(const Source& source, const ProgramOptions& options, Output output, Compiled* out) {
  switch (options.language) {
    case Language::cuda:
      return compile_cuda(source, options, output, out);
    case Language::ptx:
      return compile_ptx(source, options, output, out);
    case Language::nvvm_ir:
      throw UnsupportedOptionError(
          "the option language is NVVM IR, which neither NVRTC nor nvJitLink compiles: compile it "
          "with libNVVM to PTX, or with its option -gen-lto to LTO-IR, and give that to a Linker",
          "language");
  }
  refuse("language", "has a value that its enumeration does not have");
}

std::vector<std::string> nvrtc_options(const ProgramOptions& options, Output output) {
  check(options, output);
  std::vector<std::string> arguments;
  const auto flag = [&arguments](bool set, const char* option) {
    if (set) arguments.emplace_back(option);
  };
  const auto choice = [&arguments](const std::optional<bool>& value, const char* option) {
    if (value) arguments.push_back(std::string(option) + (*value ? "true" : "false"));
  };
  if (!options.arch.empty()) {
    arguments.push_back("-arch=" +
                        (output == Output::cubin ? real_arch(options.arch) : options.arch));
  }
  if (!options.standard.empty()) arguments.push_back("-std=" + options.standard);
  flag(output == Output::lto_ir, "-dlto");
  flag(options.relocatable || output == Output::lto_ir, "-rdc=true");
  flag(options.debug, "-G");
  flag(options.line_info, "-lineinfo");
  if (options.max_registers) {
    arguments.push_back("-maxrregcount=" + std::to_string(*options.max_registers));
  }
  choice(options.ftz, "-ftz=");
  choice(options.prec_div, "-prec-div=");
  choice(options.prec_sqrt, "-prec-sqrt=");
  choice(options.fma, "-fmad=");
  for (const std::string& folder : options.include_folders) arguments.push_back("-I" + folder);
  for (const std::string& define : options.defines) arguments.push_back("-D" + define);
  arguments.insert(arguments.end(), options.others.begin(), options.others.end());
  return arguments;
}

}  // namespace anycuda::linker
