// SPDX-License-Identifier: Apache-2.0

// A CUBIN from PTX: a link of one input.
#include <utility>

#include "anycuda/linker/linker.h"
#include "linker/base/message_text.h"
#include "linker/compile.h"
#include "linker/inputs/check.h"

namespace anycuda::linker {
namespace {

// What NVRTC decides is fixed in PTX.
void check_language(const Source& source, const ProgramOptions& options, Output output) {
  const auto refuse_if = [](bool set, const char* option) {
    if (set)
      refuse(option, "is set, but the source is PTX, which is already compiled: do not set it");
  };
  refuse_if(!options.standard.empty(), "standard");
  refuse_if(options.relocatable, "relocatable");
  refuse_if(options.ftz.has_value(), "ftz");
  refuse_if(options.prec_div.has_value(), "prec_div");
  refuse_if(options.prec_sqrt.has_value(), "prec_sqrt");
  refuse_if(options.fma.has_value(), "fma");
  refuse_if(!options.include_folders.empty(), "include_folders");
  refuse_if(!options.defines.empty(), "defines");
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
  return link;
}

}  // namespace

void compile_ptx(const Source& source, const ProgramOptions& options, Output output,
                 Compiled* out) {
  if (source.text.empty()) throw NoInputError("there is nothing to compile: the source is empty");
  check_language(source, options, output);
  Linker linker({Input::bytes(InputType::ptx, source.text, source.name)}, link_options(options));
  try {
    Code code = linker.link();
    out->log = std::move(code.log);
    out->bytes = std::move(static_cast<std::string&>(code));
  } catch (const LinkError& error) {
    out->log = error.error_log();
    throw CompileError(error.what(), error.result(), error.error_log());
  }
}

}  // namespace anycuda::linker
