// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "linker/base/message_text.h"
#include "linker/inputs/check.h"
#include "linker/inputs/definitions.h"
#include "linker/inputs/detect_type.h"
#include "linker/inputs/file_head.h"

namespace anycuda::linker {
namespace {

[[noreturn]] void refuse(const Item& item, const std::string& why) {
  refuse(item.input, item.name, why);
}

// Calls `read` with the bytes of the input; not for a file that is too long to be read.
template <typename Read>
void with_bytes(const Item& item, Read read) {
  if (!item.input.is_file()) return read(item.input.content());
  const FileHead file = read_head(item.name.c_str(), kWhole);
  if (!file.problem.empty()) refuse(item, file.problem);
  if (file.bytes.size() == file.size) read(file.bytes);
}

// nvJitLink 12.9 and 13.5 report a second definition on stderr only, link the first, and crash on
// some.
class Definitions {
 public:
  void add(const Item& item, std::string_view bytes) {
    for (const std::string& name : definitions_of(bytes, item.type)) {
      const auto [found, is_new] = by_.emplace(name, &item);
      if (is_new) continue;
      refuse(item, "defines " + quoted(name) + ", as does " + quoted(found->second->name) +
                       ": a linker takes one definition of a name; rename it, or leave it out of "
                       "one of them");
    }
  }

 private:
  std::map<std::string, const Item*> by_;
};

void check_output(const Item& item, Output output) {
  const Contents& contents = item.contents;
  const bool unknown = contents.opaque && output == Output::lto_ir;
  if (output == Output::cubin || (contents.without_lto_ir.empty() && !unknown)) return;
  const std::string where =
      unknown ? "may have code without LTO-IR, since anycuda cannot read it"
              : "has code without LTO-IR for this architecture" + in_place(contents.without_lto_ir);
  refuse(item, where + ", and " + name_of(output) +
                   " output is made only from LTO-IR, so its code would be left out: compile it to "
                   "LTO-IR (Program::compile(Output::lto_ir), nvcc -dlto), or set Options::output "
                   "to CUBIN");
}

void check(const Item& item, const Options& options) {
  const Contents& contents = item.contents;
  if (!contents.problem.empty()) refuse(item, contents.problem);
  if (item.type == InputType::library && contents.opaque && !item.input.is_file()) {
    refuse(item, "is a thin archive, whose members are other files: give it as a file");
  }
  if (!contents.lto_ir_only.empty() && !options.lto) {
    refuse(item, "has only LTO-IR for this architecture" + in_place(contents.lto_ir_only) +
                     ", which needs link-time optimisation: set Options::lto");
  }
  check_output(item, options.output);
}

}  // namespace

void look_into(std::vector<Item>* items, const Options& options, const std::string& arch) {
  bool lto_ir = false;
  Definitions definitions;
  for (Item& item : *items) {
    item.contents = {};
    item.contents.opaque = true;
    with_bytes(item, [&](std::string_view bytes) {
      item.contents = contents_of(bytes, item.type, {number_of(arch), options.lto});
      check(item, options);
      definitions.add(item, bytes);
    });
    lto_ir = lto_ir || item.contents.lto_ir || item.contents.opaque;
  }
  if (!options.lto || lto_ir) return;
  refuse(
      "lto",
      "is set, and no input holds LTO-IR for this architecture, so there is nothing to optimise: "
      "compile one to LTO-IR (Program::compile(Output::lto_ir), nvcc -dlto), or do not set lto");
}

std::string hint_for_newer(const std::vector<Item>& items, const std::string& linker,
                           Version version, Version driver) {
  if (!version.known()) return "";
  for (const Item& item : items) {
    const Contents& contents = item.contents;
    if (!older(version, contents.made_by)) continue;
    const std::string cuda = describe(contents.made_by);
    const std::string own = describe(version);
    const bool by_driver = driver.known() && !older(driver, contents.made_by);
    return joined({"\n  what to do: update", linker, "to CUDA", cuda, "or later, or compile",
                   quoted(item.name), "with CUDA", own,
                   by_driver ? "or older, or set Options::backend to the driver's linker: it has"
                             : "or older: it has",
                   contents.newest + ", of CUDA", cuda + ", and", linker, "is of CUDA", own},
                  " ");
  }
  return "";
}

}  // namespace anycuda::linker
