// SPDX-License-Identifier: Apache-2.0

// nvJitLink documentation, "Supported Link Options", and each option tried on 12.3 to 13.5:
// docs/linker.md.
#include "api/nvjitlink_api.h"
#include "linker/backends/translate.h"
#include "linker/base/words.h"

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
  refuse(option, std::string(what) + "needs nvJitLink " + words(least) + " or later; this is " +
                     words(version) + ": install a newer one, or do without");
}

class Words {
 public:
  void flag(bool set, const char* word) {
    if (set) words_.emplace_back(word);
  }
  void number(const std::optional<int>& value, const char* word) {
    if (value) words_.push_back(word + std::to_string(*value));
  }
  // 0 and 1: nvJitLink passes the text on to libNVVM, which does not accept true and false.
  void choice(const std::optional<bool>& value, const char* word) {
    if (value) words_.push_back(std::string(word) + (*value ? "1" : "0"));
  }
  void each(const std::vector<std::string>& values, const char* word) {
    for (const std::string& value : values) words_.push_back(word + value);
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

void check_support(const Options& options, Version version) {
  if (options.cache_mode) {
    refuse("cache_mode", "needs the driver's linker; with nvJitLink pass -dlcm in ptxas_options");
  }
  const std::optional<int>& level = options.optimization_level;
  if (level && *level != 0 && *level != 3) {
    refuse("optimization_level",
           "cannot be " + std::to_string(*level) + " with nvJitLink, which knows 0 and 3");
  }
  if (options.no_cache) need("no_cache", "", kNoCache, version);
  if (options.incremental) need("incremental", "", kIncremental, version);
  if (options.output == Output::lto_ir) need("output", "is LTO-IR, which ", kLtoIrOutput, version);
}

}  // namespace

std::vector<std::string> nvjitlink_options(const Options& options, Version version) {
  check_support(options, version);
  Words words;
  if (!options.arch.empty()) words.each({options.arch}, "-arch=");
  words.flag(options.lto, "-lto");
  words.flag(options.output == Output::ptx, "-ptx");
  words.flag(options.incremental, "-r");
  words.number(options.optimization_level, "-O");
  words.flag(options.debug, "-g");
  words.flag(options.line_info, "-lineinfo");
  words.flag(options.verbose, "-verbose");
  words.flag(options.time, "-time");
  words.number(options.max_registers, "-maxrregcount=");
  words.choice(options.ftz, "-ftz=");
  words.choice(options.prec_div, "-prec-div=");
  words.choice(options.prec_sqrt, "-prec-sqrt=");
  words.choice(options.fma, "-fma=");
  words.each(options.kernels_used, "-kernels-used=");
  words.each(options.variables_used, "-variables-used=");
  words.flag(options.optimize_unused_variables, "-optimize-unused-variables");
  words.each(options.ptxas_options, "-Xptxas=");
  words.each(options.nvvm_options, "-Xnvvm=");
  words.number(options.split_compile, "-split-compile=");
  words.number(options.split_compile_extended, "-split-compile-extended=");
  words.number(options.jump_table_density, "-jump-table-density=");
  words.flag(options.no_cache, "-no-cache");
  return words.take();
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
                           words(kIndex) + " or later; this is " + words(version),
                       item.name);
    default:
      throw InputError("the input " + quoted(item.name) + " is " + name_of(item.type) +
                           ", which nvJitLink does not take",
                       item.name);
  }
}

}  // namespace anycuda::linker
