// SPDX-License-Identifier: Apache-2.0

// nvJitLink documentation, "Supported Link Options", and each option tried on 12.3 to 13.5:
// docs/linker.md.
#include "api/nvjitlink_api.h"
#include "linker/backends/translate.h"
#include "linker/base/message_text.h"

namespace anycuda::linker {
namespace {

constexpr Version kNoCache{12, 5};
constexpr Version kIndex{12, 6};
constexpr Version kIncremental{13, 2};
constexpr Version kLtoIrOutput{13, 3};

[[noreturn]] void refuse(const char* option, const std::string& why) {
  throw UnsupportedOptionError(std::string("the option ") + option + " " + why, option);
}

void need(const char* option, const char* what, Version least, Version version) {
  if (!older(version, least)) return;
  refuse(option, std::string(what) + "needs nvJitLink " + describe(least) + " or later; this is " +
                     describe(version) + ": install a newer one, or do without this option");
}

class ArgumentList {
 public:
  void flag(bool set, const char* option) {
    if (set) arguments_.emplace_back(option);
  }
  void number(const std::optional<int>& value, const char* option) {
    if (value) arguments_.push_back(option + std::to_string(*value));
  }
  // 0 and 1: nvJitLink passes the text on to libNVVM, which does not accept true and false.
  void choice(const std::optional<bool>& value, const char* option) {
    if (value) arguments_.push_back(std::string(option) + (*value ? "1" : "0"));
  }
  void each(const std::vector<std::string>& values, const char* option) {
    for (const std::string& value : values) arguments_.push_back(option + value);
  }
  std::vector<std::string> take() { return std::move(arguments_); }

 private:
  std::vector<std::string> arguments_;
};

void check_support(const Options& options, Version version) {
  if (options.cache_mode) {
    refuse("cache_mode", "needs the driver's linker; with nvJitLink pass -dlcm in ptxas_options");
  }
  const std::optional<int>& level = options.optimization_level;
  if (level && *level != 0 && *level != 3) {
    refuse("optimization_level",
           "cannot be " + std::to_string(*level) + " with nvJitLink, which has only 0 and 3");
  }
  if (options.no_cache) need("no_cache", "", kNoCache, version);
  if (options.incremental) need("incremental", "", kIncremental, version);
  if (options.output == Output::lto_ir) need("output", "is LTO-IR, which ", kLtoIrOutput, version);
}

}  // namespace

std::vector<std::string> nvjitlink_options(const Options& options, Version version) {
  check_support(options, version);
  ArgumentList arguments;
  if (!options.arch.empty()) arguments.each({options.arch}, "-arch=");
  arguments.flag(options.lto, "-lto");
  arguments.flag(options.output == Output::ptx, "-ptx");
  arguments.flag(options.incremental, "-r");
  arguments.number(options.optimization_level, "-O");
  arguments.flag(options.debug, "-g");
  arguments.flag(options.line_info, "-lineinfo");
  arguments.flag(options.verbose, "-verbose");
  arguments.flag(options.time, "-time");
  arguments.number(options.max_registers, "-maxrregcount=");
  arguments.choice(options.ftz, "-ftz=");
  arguments.choice(options.prec_div, "-prec-div=");
  arguments.choice(options.prec_sqrt, "-prec-sqrt=");
  arguments.choice(options.fma, "-fma=");
  arguments.each(options.kernels_used, "-kernels-used=");
  arguments.each(options.variables_used, "-variables-used=");
  arguments.flag(options.optimize_unused_variables, "-optimize-unused-variables");
  arguments.each(options.ptxas_options, "-Xptxas=");
  arguments.each(options.nvvm_options, "-Xnvvm=");
  arguments.number(options.split_compile, "-split-compile=");
  arguments.number(options.split_compile_extended, "-split-compile-extended=");
  arguments.number(options.jump_table_density, "-jump-table-density=");
  arguments.flag(options.no_cache, "-no-cache");
  return arguments.take();
}

unsigned nvjitlink_type(const Item& item, Version version) {
  switch (item.type) {
    case InputType::ptx:
      return api::NVJITLINK_INPUT_PTX;
    case InputType::cubin:
      return api::NVJITLINK_INPUT_CUBIN;
    case InputType::fatbin:
      return api::NVJITLINK_INPUT_FATBIN;
    case InputType::object:
      return api::NVJITLINK_INPUT_OBJECT;
    case InputType::library:
      return api::NVJITLINK_INPUT_LIBRARY;
    case InputType::lto_ir:
      return api::NVJITLINK_INPUT_LTOIR;
    case InputType::index:
      if (!older(version, kIndex)) return api::NVJITLINK_INPUT_INDEX;
      throw InputError("the file " + quoted(item.name) + " is an index, which needs nvJitLink " +
                           describe(kIndex) + " or later; this is " + describe(version) +
                           ": install a newer one",
                       item.name);
    default:
      throw InputError("the input " + quoted(item.name) + " is " + name_of(item.type) +
                           ", which only the driver's linker accepts: set Options::backend",
                       item.name);
  }
}

}  // namespace anycuda::linker
