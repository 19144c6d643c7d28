// SPDX-License-Identifier: Apache-2.0

// NVRTC documentation, "Supported Compile Options", and each option tried on 11.8 to 13.5. NVRTC
// 12.5 and 12.6 write a trace of PTX, but none of a CUBIN.
#include <algorithm>
#include <iterator>

#include "anycuda/linker/option_text.h"
#include "linker/options/option_table.h"
#include "linker/options/option_words.h"

namespace anycuda::linker {
namespace {

using P = ProgramOptions;

constexpr Version kPch{12, 8};

constexpr OptionRow<P> kRows[] = {
    {"arch", "-arch=", &P::arch, "-gpu-architecture="},
    {"standard", "-std=", &P::standard},
    {"relocatable", "-rdc=", &P::relocatable, "-relocatable-device-code= -dc"},
    {"extensible_whole_program", "-ewp", &P::extensible_whole_program, "-extensible-whole-program"},
    {"debug", "-G", &P::debug, "-device-debug"},
    {"optimized_debug", "-dopt=on",
     OneValue<P>{[](const P& o) { return o.optimized_debug; },
                 [](P* o) { o->optimized_debug = true; }}},
    {"line_info", "-lineinfo", &P::line_info, "-generate-line-info"},
    {"max_registers", "-maxrregcount=", &P::max_registers},
    {"fast_math", "-use_fast_math", &P::fast_math},
    {"ftz", "-ftz=", &P::ftz},
    {"prec_div", "-prec-div=", &P::prec_div},
    {"prec_sqrt", "-prec-sqrt=", &P::prec_sqrt},
    {"fma", "-fmad=", &P::fma},
    {"include_folders", "-I", &P::include_folders, "-include-path="},
    {"pre_includes", "-include=", &P::pre_includes, "-pre-include="},
    {"defines", "-D", &P::defines, "-define-macro="},
    {"undefines", "-U", &P::undefines, "-undefine-macro="},
    {"ptxas_options", "-Xptxas=", &P::ptxas_options, "-ptxas-options="},
    {"minimal", "-minimal", &P::minimal, "", {12, 4}},
    {"split_compile", "-split-compile=", &P::split_compile, "", {12, 0}},
    {"time_trace", "-fdevice-time-trace=", &P::time_trace, "", {12, 8}},
    {"pch", "-pch", &P::pch, "", kPch},
    {"create_pch", "-create-pch=", &P::create_pch, "", kPch},
    {"use_pch", "-use-pch=", &P::use_pch, "", kPch},
    {"pch_dir", "-pch-dir=", &P::pch_dir, "", kPch},
    {"pch_verbose", "-pch-verbose=", &P::pch_verbose, "", kPch},
    {"pch_messages", "-pch-messages=", &P::pch_messages, "", kPch},
    {"instantiate_templates_in_pch",
     "-instantiate-templates-in-pch=", &P::instantiate_templates_in_pch, "", kPch},
};

}  // namespace

const OptionTable<ProgramOptions>& program_option_table() {
  static constexpr OptionTable<P> kTable = {kRows, std::size(kRows), "true", "false"};
  return kTable;
}

ProgramOptions parse_program_option_list(const std::vector<std::string>& words) {
  return OptionReader<P>(program_option_table(), words)
      .read([](const std::string& word, P* options) { options->others.push_back(word); });
}

ProgramOptions parse_program_options(const std::string& text) {
  return parse_program_option_list(words_of(text));
}

std::vector<std::string> to_option_list(const ProgramOptions& options) {
  std::vector<std::string> words = words_for(program_option_table(), options);
  words.insert(words.end(), options.others.begin(), options.others.end());
  return words;
}

std::string to_text(const ProgramOptions& options) { return line_of(to_option_list(options)); }

}  // namespace anycuda::linker
