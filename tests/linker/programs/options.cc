// SPDX-License-Identifier: Apache-2.0

// Every option of this machine's backend, in a real link; and the options that this version lacks.
#include "child.h"

namespace child {
namespace {

struct Setting {
  const char* name;
  void (*set)(Options*);
};

constexpr Setting kSettings[] = {
    {"optimization_level 0", [](Options* o) { o->optimization_level = 0; }},
    {"optimization_level 3", [](Options* o) { o->optimization_level = 3; }},
    {"optimization_level 1", [](Options* o) { o->optimization_level = 1; }},
    {"debug", [](Options* o) { o->debug = true; }},
    {"line_info", [](Options* o) { o->line_info = true; }},
    {"verbose, time, max_registers",
     [](Options* o) {
       o->verbose = true;
       o->time = true;
       o->max_registers = 32;
     }},
    {"ftz, prec_div, prec_sqrt, fma: true",
     [](Options* o) { o->ftz = o->prec_div = o->prec_sqrt = o->fma = true; }},
    {"ftz, prec_div, prec_sqrt, fma: false",
     [](Options* o) { o->ftz = o->prec_div = o->prec_sqrt = o->fma = false; }},
    {"kernels_used, variables_used, optimize_unused_variables",
     [](Options* o) {
       o->kernels_used = {"kernel", "another"};
       o->variables_used = {"one", "two"};
       o->optimize_unused_variables = true;
     }},
    {"ptxas_options, nvvm_options",
     [](Options* o) {
       o->ptxas_options = {"-v", "-O1"};
       o->nvvm_options = {"-opt=1"};
     }},
    {"split_compile, split_compile_extended, jump_table_density",
     [](Options* o) {
       o->split_compile = 0;
       o->split_compile_extended = 2;
       o->jump_table_density = 50;
     }},
    {"no_cache", [](Options* o) { o->no_cache = true; }},
    {"incremental", [](Options* o) { o->incremental = true; }},
    {"output LTO-IR", [](Options* o) { o->output = Output::lto_ir; }},
    {"cache_mode", [](Options* o) { o->cache_mode = CacheMode::l2_only; }},
    {"arch unset", [](Options* o) { o->arch.clear(); }},
    {"nvvm_options that libNVVM has not",
     [](Options* o) { o->nvvm_options = {"-no-such-option"}; }},
};

// What the driver's linker lacks, for a link that it could make.
constexpr Setting kPlainSettings[] = {
    {"time", [](Options* o) { o->time = true; }},
    {"ptxas_options",
     [](Options* o) {
       o->ptxas_options = {"-v", "-O1"};
     }},
    {"nvvm_options", [](Options* o) { o->nvvm_options = {"-opt=1"}; }},
    {"split_compile", [](Options* o) { o->split_compile = 0; }},
    {"jump_table_density", [](Options* o) { o->jump_table_density = 50; }},
    {"incremental", [](Options* o) { o->incremental = true; }},
    {"cache_mode", [](Options* o) { o->cache_mode = CacheMode::l2_only; }},
};

template <std::size_t count>
void try_each(const Setting (&settings)[count], const std::string& folder, InputType type) {
  for (const Setting& setting : settings) {
    Options options = options_for(type);
    setting.set(&options);
    std::string what;
    const std::string error = error_of(
        [&] {
          Linker linker(modules(folder, type), options);
          (void)linker.link();
        },
        &what);
    say("%s: %s", setting.name, error.empty() ? "ok" : error.c_str());
    if (!error.empty()) say("  %s", what.c_str());
  }
}

}  // namespace

// folder, then "plain" for links of PTX.
int options(const Arguments& arguments) {
  if (arguments.size() > 1) {
    try_each(kPlainSettings, arguments[0], InputType::ptx);
  } else {
    try_each(kSettings, arguments.at(0), InputType::lto_ir);
  }
  return 0;
}

}  // namespace child
