// SPDX-License-Identifier: Apache-2.0

// nvJitLink documentation, "Supported Link Options", and each option tried on 12.3 to 13.5:
// docs/linker.md. The other spellings are nvcc's and ptxas's.
#include <iterator>

#include "anycuda/linker/option_text.h"
#include "linker/options/option_table.h"
#include "linker/options/option_words.h"

namespace anycuda::linker {
namespace {

constexpr OptionRow<Options> kRows[] = {
    {"arch", "-arch=", &Options::arch, "-gpu-name= -gpu-architecture="},
    {"lto", "-lto", &Options::lto, "-dlto -dlink-time-opt"},
    {"output", "-ptx",
     OneValue<Options>{[](const Options& o) { return o.output == Output::ptx; },
                       [](Options* o) { o->output = Output::ptx; }}},
    {"incremental", "-r", &Options::incremental, "", {13, 2}},
    {"optimization_level", "-O", &Options::optimization_level, "-opt-level="},
    {"debug", "-g", &Options::debug, "-device-debug"},
    {"line_info", "-lineinfo", &Options::line_info, "-generate-line-info"},
    {"verbose", "-verbose", &Options::verbose, "-v"},
    {"time", "-time", &Options::time},
    {"max_registers", "-maxrregcount=", &Options::max_registers},
    // 0 and 1: nvJitLink passes the text on to libNVVM, which does not accept true and false.
    {"ftz", "-ftz=", &Options::ftz},
    {"prec_div", "-prec-div=", &Options::prec_div},
    {"prec_sqrt", "-prec-sqrt=", &Options::prec_sqrt},
    {"fma", "-fma=", &Options::fma, "-fmad="},
    {"kernels_used", "-kernels-used=", &Options::kernels_used},
    {"variables_used", "-variables-used=", &Options::variables_used},
    {"optimize_unused_variables", "-optimize-unused-variables",
     &Options::optimize_unused_variables},
    {"ptxas_options", "-Xptxas=", &Options::ptxas_options, "-ptxas-options="},
    {"nvvm_options", "-Xnvvm=", &Options::nvvm_options},
    {"split_compile", "-split-compile=", &Options::split_compile},
    {"split_compile_extended", "-split-compile-extended=", &Options::split_compile_extended},
    {"jump_table_density", "-jump-table-density=", &Options::jump_table_density},
    {"no_cache", "-no-cache", &Options::no_cache, "", {12, 5}},
};

[[noreturn]] void refuse_unknown(const std::string& word) {
  throw OptionError("the word " + quoted(word) +
                        " is not an option of a link: docs/linker.md has the table of options; an "
                        "option of ptxas goes into -Xptxas=, one of libNVVM into -Xnvvm=",
                    word);
}

[[noreturn]] void refuse_without_text(const char* field, const char* why) {
  throw OptionError(
      std::string("the option ") + field + " has no text: " + why + ", so set it in Options",
      field);
}

}  // namespace

const OptionTable<Options>& link_option_table() {
  static constexpr OptionTable<Options> kTable = {kRows, std::size(kRows), "1", "0"};
  return kTable;
}

Options parse_option_list(const std::vector<std::string>& words) {
  return OptionReader<Options>(link_option_table(), words)
      .read([](const std::string& word, Options*) { refuse_unknown(word); });
}

Options parse_options(const std::string& text) { return parse_option_list(words_of(text)); }

std::vector<std::string> to_option_list(const Options& options) {
  if (options.cache_mode) refuse_without_text("cache_mode", "only the driver's linker has it");
  if (options.output == Output::lto_ir) {
    refuse_without_text("output", "nvJitLink has a function for LTO-IR, not an option");
  }
  return words_for(link_option_table(), options);
}

std::string to_text(const Options& options) { return line_of(to_option_list(options)); }

}  // namespace anycuda::linker
