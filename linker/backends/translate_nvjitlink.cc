// SPDX-License-Identifier: Apache-2.0

// The options' spellings are in linker/options/link_options.cc.
#include "api/nvjitlink_api.h"
#include "linker/backends/translate.h"
#include "linker/base/message_text.h"
#include "linker/options/option_table.h"

namespace anycuda::linker {
namespace {

constexpr Version kIndex{12, 6};
constexpr Version kLtoIrOutput{13, 3};

[[noreturn]] void refuse(const char* option, const std::string& why) {
  throw UnsupportedOptionError(std::string("the option ") + option + " " + why, option);
}

void check_support(const Options& options, Version version) {
  if (options.cache_mode) {
    refuse("cache_mode", "needs the driver's linker; with nvJitLink pass -dlcm in ptxas_options");
  }
  const std::optional<int>& level = options.optimization_level;
  if (level && *level != 0 && *level != 3) {
    refuse("optimization_level",
           "cannot be " + std::to_string(*level) + " with nvJitLink, which has only 0 and 3");
  }
  check_versions(link_option_table(), options, "nvJitLink", version);
  if (options.output == Output::lto_ir && older(version, kLtoIrOutput)) {
    refuse("output", "is LTO-IR, which needs nvJitLink " + describe(kLtoIrOutput) +
                         " or later; this is " + describe(version) +
                         ": install a newer one, or do without this option");
  }
}

}  // namespace

std::vector<std::string> nvjitlink_options(const Options& options, Version version) {
  check_support(options, version);
  return words_for(link_option_table(), options);
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
