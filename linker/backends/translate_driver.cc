// SPDX-License-Identifier: Apache-2.0

// CUDA Driver API, "Data types used by CUDA driver", CUjit_option.
#include "api/cuda_api.h"
#include "linker/backends/translate.h"
#include "linker/base/message_text.h"

namespace anycuda::linker {
namespace {

[[noreturn]] void refuse(const char* option, const std::string& cure) {
  throw UnsupportedOptionError(std::string("the option ") + option +
                                   " needs nvJitLink; the driver's linker has no such option" +
                                   cure,
                               option);
}

void refuse_if(bool set, const char* option) {
  if (set) refuse(option, ": do not set it, or install an nvJitLink of the driver's major");
}

void check_support(const Options& options, bool with_nvvm) {
  refuse_if(options.output != Output::cubin, "output");
  refuse_if(options.lto && !with_nvvm, "lto");
  refuse_if(options.incremental, "incremental");
  refuse_if(options.time, "time");
  refuse_if(!options.ptxas_options.empty(), "ptxas_options");
  refuse_if(!options.nvvm_options.empty(), "nvvm_options");
  refuse_if(options.split_compile.has_value(), "split_compile");
  refuse_if(options.split_compile_extended.has_value(), "split_compile_extended");
  refuse_if(options.jump_table_density.has_value(), "jump_table_density");
}

// Its options of these names are for LTO-IR of CUDA 11 and do nothing since CUDA 12.
std::vector<std::string> ignored(const Options& options) {
  std::vector<std::string> warnings;
  const auto add = [&warnings](bool set, const char* option, const char* why) {
    if (set) warnings.push_back(std::string("the driver's linker ignores ") + option + ": " + why);
  };
  const char* compiled = "its inputs are already compiled";
  add(options.ftz.has_value(), "ftz", compiled);
  add(options.prec_div.has_value(), "prec_div", compiled);
  add(options.prec_sqrt.has_value(), "prec_sqrt", compiled);
  add(options.fma.has_value(), "fma", compiled);
  const char* kept = "only link-time optimisation removes code";
  add(!options.kernels_used.empty(), "kernels_used", kept);
  add(!options.variables_used.empty(), "variables_used", kept);
  add(options.optimize_unused_variables, "optimize_unused_variables", kept);
  add(options.no_cache, "no_cache", "it keeps no intermediate results");
  return warnings;
}

// "sm_90a": CUjit_target's number is the architecture's, with a base for its kinds.
std::uintptr_t target_of(const std::string& arch) {
  std::uintptr_t number = number_of(arch);
  if (arch.back() == 'a') number += api::CU_COMPUTE_ACCELERATED_TARGET_BASE;
  if (arch.back() == 'f') number += api::CU_COMPUTE_FAMILY_TARGET_BASE;
  return number;
}

// CUjit_cacheMode, which no prototype reaches: CU_JIT_CACHE_OPTION_NONE, CG and CA.
std::uintptr_t value_of(CacheMode mode) { return static_cast<std::uintptr_t>(mode); }

}  // namespace

// Without a target it is the context's (CU_JIT_TARGET_FROM_CUCONTEXT, the default).
DriverOptions driver_options(const Options& options, bool with_nvvm) {
  check_support(options, with_nvvm);
  DriverOptions out;
  const auto add = [&out](bool set, unsigned key, std::uintptr_t value, const char* name) {
    if (set) out.options.push_back({key, value, name});
  };
  const auto number = [](const std::optional<int>& value) {
    return static_cast<std::uintptr_t>(value.value_or(0));
  };
  if (!options.arch.empty()) {
    add(true, api::CU_JIT_TARGET, target_of(options.arch), "CU_JIT_TARGET");
  }
  add(options.max_registers.has_value(), api::CU_JIT_MAX_REGISTERS, number(options.max_registers),
      "CU_JIT_MAX_REGISTERS");
  add(options.optimization_level.has_value(), api::CU_JIT_OPTIMIZATION_LEVEL,
      number(options.optimization_level), "CU_JIT_OPTIMIZATION_LEVEL");
  add(options.debug, api::CU_JIT_GENERATE_DEBUG_INFO, 1, "CU_JIT_GENERATE_DEBUG_INFO");
  add(options.line_info, api::CU_JIT_GENERATE_LINE_INFO, 1, "CU_JIT_GENERATE_LINE_INFO");
  add(options.verbose, api::CU_JIT_LOG_VERBOSE, 1, "CU_JIT_LOG_VERBOSE");
  add(options.lto, api::CU_JIT_LTO, 1, "CU_JIT_LTO");
  if (options.cache_mode) {
    add(true, api::CU_JIT_CACHE_MODE, value_of(*options.cache_mode), "CU_JIT_CACHE_MODE");
  }
  out.warnings = ignored(options);
  return out;
}

unsigned driver_type(const Item& item) {
  if (item.type != InputType::lto_ir && !item.contents.lto_ir_only.empty()) {
    throw InputError("the input " + quoted(item.name) + " (" + name_of(item.type) +
                         ") has only LTO-IR" + in_place(item.contents.lto_ir_only) +
                         ", which the driver's linker does not accept: install an nvJitLink of the "
                         "driver's major, or compile it without -dlto",
                     item.name);
  }
  switch (item.type) {
    case InputType::ptx:
      return api::CU_JIT_INPUT_PTX;
    case InputType::cubin:
      return api::CU_JIT_INPUT_CUBIN;
    case InputType::fatbin:
      return api::CU_JIT_INPUT_FATBINARY;
    case InputType::object:
      return api::CU_JIT_INPUT_OBJECT;
    case InputType::library:
      return api::CU_JIT_INPUT_LIBRARY;
    case InputType::nvvm:
      return api::CU_JIT_INPUT_NVVM;
    default:
      throw InputError(
          "the input " + quoted(item.name) + " has the type " + name_of(item.type) +
              ", which the driver's linker does not accept: install an nvJitLink of the "
              "driver's major",
          item.name);
  }
}

}  // namespace anycuda::linker
