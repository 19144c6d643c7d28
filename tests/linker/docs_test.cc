// SPDX-License-Identifier: Apache-2.0

// The tables of options in docs/linker.md agree with the code.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "linker/backends/translate.h"
#include "linker/base/message_text.h"
#include "linker/options/option_table.h"

using namespace anycuda::linker;

namespace {

struct Row {
  const char* option;
  void (*set)(Options*);
};

const Row kRows[] = {
    {"arch", [](Options* o) { o->arch = "sm_80"; }},
    {"output", [](Options* o) { o->output = Output::ptx; }},
    {"output", [](Options* o) { o->output = Output::lto_ir; }},
    {"lto", [](Options* o) { o->lto = true; }},
    {"incremental", [](Options* o) { o->incremental = true; }},
    {"optimization_level", [](Options* o) { o->optimization_level = 3; }},
    {"debug", [](Options* o) { o->debug = true; }},
    {"line_info", [](Options* o) { o->line_info = true; }},
    {"verbose", [](Options* o) { o->verbose = true; }},
    {"time", [](Options* o) { o->time = true; }},
    {"max_registers", [](Options* o) { o->max_registers = 32; }},
    {"ftz", [](Options* o) { o->ftz = true; }},
    {"prec_div", [](Options* o) { o->prec_div = false; }},
    {"prec_sqrt", [](Options* o) { o->prec_sqrt = false; }},
    {"fma", [](Options* o) { o->fma = false; }},
    {"kernels_used",
     [](Options* o) {
       o->kernels_used = {"a", "b"};
     }},
    {"variables_used",
     [](Options* o) {
       o->variables_used = {"a", "b"};
     }},
    {"optimize_unused_variables", [](Options* o) { o->optimize_unused_variables = true; }},
    {"ptxas_options",
     [](Options* o) {
       o->ptxas_options = {"-v", "-O1"};
     }},
    {"nvvm_options", [](Options* o) { o->nvvm_options = {"-opt=1"}; }},
    {"split_compile", [](Options* o) { o->split_compile = 0; }},
    {"split_compile_extended", [](Options* o) { o->split_compile_extended = 4; }},
    {"jump_table_density", [](Options* o) { o->jump_table_density = 50; }},
    {"no_cache", [](Options* o) { o->no_cache = true; }},
    {"cache_mode", [](Options* o) { o->cache_mode = CacheMode::l2_only; }},
};

constexpr Version kReleases[] = {{12, 3}, {12, 4}, {12, 5}, {12, 6}, {12, 8}, {12, 9},
                                 {13, 0}, {13, 1}, {13, 2}, {13, 3}, {13, 4}, {13, 5}};

std::string nvjitlink_cell(const Options& options) {
  for (const Version release : kReleases) {
    try {
      const std::string words = joined(nvjitlink_options(options, release), " ");
      const std::string text = words.empty() ? "its function" : "`" + words + "`";
      return release.major == 12 && release.minor == 3
                 ? text
                 : text + ", from " + anycuda::linker::describe(release);
    } catch (const UnsupportedOptionError&) {
    }
  }
  return "refused";
}

std::string driver_cell(const Options& options) {
  try {
    const DriverOptions out = driver_options(options, false);
    if (!out.warnings.empty()) return "ignored";
    return "`" + std::string(out.options.at(0).name) +
           "` = " + std::to_string(out.options.at(0).value);
  } catch (const UnsupportedOptionError&) {
    return "refused";
  }
}

std::string page() {
  std::ifstream file(ANYCUDA_SOURCE_DIR "/docs/linker.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect_table(const std::string& table) {
  EXPECT_NE(page().find(table), std::string::npos) << "docs/linker.md should say\n" << table;
}

// "`-lto`", "`-arch=...`".
template <typename Target>
std::string cell(const OptionRow<Target>& row, const std::string& spelling) {
  const bool flag =
      spelling.back() != '=' && (std::holds_alternative<bool Target::*>(row.member) ||
                                 std::holds_alternative<OneValue<Target>>(row.member));
  return "`" + spelling + (flag ? "`" : "...`");
}

template <typename Target>
std::string others(const OptionRow<Target>& row) {
  std::string cells;
  std::istringstream words(row.also);
  for (std::string word; words >> word;) {
    cells += (cells.empty() ? "" : ", ") + cell(row, word);
  }
  return cells.empty() ? "none" : cells;
}

// The same table reads and writes the text.
TEST(Docs, HaveTheTableOfProgramOptions) {
  std::string table = "| option | NVRTC | also read |\n|---|---|---|\n";
  for (const OptionRow<ProgramOptions>& row : program_option_table()) {
    table += "| `" + std::string(row.field) + "` | " + cell(row, row.spelling);
    if (row.since.known()) table += ", from " + anycuda::linker::describe(row.since);
    table += " | " + others(row) + " |\n";
  }
  expect_table(table);
}

TEST(Docs, HaveTheTableOfOptions) {
  std::string table = "| option | nvJitLink | driver |\n|---|---|---|\n";
  for (const Row& row : kRows) {
    Options options;
    row.set(&options);
    const std::string which =
        std::string(row.option) == "output" ? std::string(" ") + name_of(options.output) : "";
    table += "| `" + std::string(row.option) + "`" + which + " | " + nvjitlink_cell(options) +
             " | " + driver_cell(options) + " |\n";
  }
  expect_table(table);
}

TEST(Docs, HaveTheOtherSpellings) {
  std::string table = "| option | also read |\n|---|---|\n";
  for (const OptionRow<Options>& row : link_option_table()) {
    if (*row.also != '\0') table += "| `" + std::string(row.field) + "` | " + others(row) + " |\n";
  }
  expect_table(table);
}

}  // namespace
