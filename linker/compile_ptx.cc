// SPDX-License-Identifier: Apache-2.0

// A CUBIN from PTX: a link of one input.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "anycuda/linker/linker.h"
#include "linker/base/message_text.h"
#include "linker/compile.h"
#include "linker/inputs/check.h"
#include "linker/options/option_table.h"

namespace anycuda::linker {
namespace {

constexpr const char* kOptionsOfPtx[] = {"arch",          "debug",         "line_info",
                                         "max_registers", "ptxas_options", "split_compile"};

bool goes_with_ptx(const char* field) {
  return std::any_of(std::begin(kOptionsOfPtx), std::end(kOptionsOfPtx),
                     [field](const char* name) { return std::strcmp(name, field) == 0; });
}

// What NVRTC decides is fixed in PTX.
void check_language(const Source& source, const ProgramOptions& options, Output output) {
  const auto refuse_if = [](bool set, const char* option) {
    if (set)
      refuse(option, "is set, but the source is PTX, which is already compiled: do not set it");
  };
  const OptionTable<ProgramOptions>& table = program_option_table();
  for (const OptionRow<ProgramOptions>& row : table) {
    if (goes_with_ptx(row.field)) continue;
    refuse_if(!words_for(table, row, options).empty(), row.field);
  }
  refuse_if(!options.others.empty(), "others");
  refuse_if(!source.headers.empty(), "headers");
  refuse_if(!source.expressions.empty(), "name_expression");
  if (output != Output::cubin) {
    refuse("output", std::string("is ") + name_of(output) +
                         ", but the source is PTX, which can only become a CUBIN: compile to "
                         "Output::cubin");
  }
}

Options link_options(const ProgramOptions& options) {
  Options link;
  link.arch = options.arch;
  link.debug = options.debug;
  link.line_info = options.line_info;
  link.max_registers = options.max_registers;
  link.ptxas_options = options.ptxas_options;
  link.split_compile = options.split_compile;
  return link;
}

}  // namespace

void compile_ptx(const Source& source, const ProgramOptions& options, Output output, Compiled* out,
                 const CacheUse& use) {
  if (source.text.empty()) throw NoInputError("there is nothing to compile: the source is empty");
  check_language(source, options, output);
  Linker linker({Input::bytes(InputType::ptx, source.text, source.name)}, link_options(options));
  try {
    Code code = use.cache != nullptr ? linker.link(*use.cache) : linker.link();
    out->log = std::move(code.log);
    out->bytes = std::move(static_cast<std::string&>(code));
  } catch (const LinkError& error) {
    out->log = error.error_log();
    throw CompileError(error.what(), error.result(), error.error_log());
  }
}

}  // namespace anycuda::linker
