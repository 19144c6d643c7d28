// SPDX-License-Identifier: Apache-2.0

// The options' spellings are in linker/options/program_options.cc.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "linker/base/message_text.h"
#include "linker/compile.h"
#include "linker/inputs/check.h"
#include "linker/options/option_table.h"

namespace anycuda::linker {
namespace {

constexpr char kJson[] = ".json";

// "folder/trace" for "folder/trace.json": NVRTC appends .json, but up to 12.9 another part of it
// replaces what follows a dot.
std::string without_json(const std::string& file) {
  const std::size_t end = file.size() < std::strlen(kJson) ? 0 : file.size() - std::strlen(kJson);
  const std::size_t start = file.rfind('/') + 1;  // npos + 1 is 0
  if (file.compare(end, std::string::npos, kJson) == 0 && file.find('.', start) == end &&
      end > start) {
    return file.substr(0, end);
  }
  refuse("time_trace",
         "cannot be " + quoted(file) + ": expected a name such as trace.json, with only one dot");
}

// NVRTC ends the process if it cannot write its trace.
void check_trace(const std::string& file) {
  const std::size_t start = without_json(file).rfind('/') + 1;
  const std::string folder = start == 0 ? "." : file.substr(0, start);
  const bool exists = access(file.c_str(), F_OK) == 0;
  struct stat status = {};
  if (exists && (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))) {
    refuse("time_trace", "cannot be " + quoted(file) + ", which is not a file: name another one");
  }
  if (access(folder.c_str(), W_OK | X_OK) == 0 && (!exists || access(file.c_str(), W_OK) == 0)) {
    return;
  }
  refuse("time_trace", "cannot be " + quoted(file) +
                           ", which cannot be written: " + std::generic_category().message(errno) +
                           "; name a file in a folder that exists");
}

void check_pch(const ProgramOptions& options) {
  for (const auto& [field, value] :
       {std::pair("create_pch", &options.create_pch), std::pair("use_pch", &options.use_pch)}) {
    if (options.pch && !value->empty()) {
      refuse(field, "does not go with pch, which names the files itself: set only one of them");
    }
  }
  if (!options.create_pch.empty() && !options.use_pch.empty()) {
    refuse("create_pch", "does not go with use_pch: set only one of them");
  }
}

void check_text(const char* option, const std::string& text) {
  if (!text.empty()) check_texts(option, {text});
}

void check(const ProgramOptions& options, Output output) {
  check_arch(options.arch);
  check_text("standard", options.standard);
  check_text("time_trace", options.time_trace);
  check_text("create_pch", options.create_pch);
  check_text("use_pch", options.use_pch);
  check_text("pch_dir", options.pch_dir);
  check_texts("include_folders", options.include_folders);
  check_texts("defines", options.defines);
  check_texts("undefines", options.undefines);
  check_texts("pre_includes", options.pre_includes);
  check_texts("ptxas_options", options.ptxas_options, kLongest);
  check_texts("others", options.others);
  check_registers(options.max_registers);
  check_threads("split_compile", options.split_compile);
  if (!options.time_trace.empty()) check_trace(options.time_trace);
  check_pch(options);
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

const char* name_of(PchStatus status) {
  switch (status) {
    case PchStatus::not_requested:
      return "not requested";
    case PchStatus::created:
      return "created";
    case PchStatus::not_attempted:
      return "not attempted";
    case PchStatus::failed:
      return "failed";
  }
  return "unknown";
}

void compile(const Source& source, const ProgramOptions& options, Output output, Compiled* out,
             const CacheUse& use) {
  switch (options.language) {
    case Language::cuda:
      return compile_cuda(source, options, output, out, use);
    case Language::ptx:
      return compile_ptx(source, options, output, out, use);
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
  ProgramOptions asked = options;
  if (output == Output::cubin) asked.arch = real_arch(asked.arch);
  if (output == Output::lto_ir) asked.relocatable = true;
  if (!asked.time_trace.empty()) asked.time_trace = without_json(asked.time_trace);
  std::vector<std::string> arguments = words_for(program_option_table(), asked);
  if (output == Output::lto_ir) arguments.emplace_back("-dlto");
  arguments.insert(arguments.end(), options.others.begin(), options.others.end());
  return arguments;
}

}  // namespace anycuda::linker
