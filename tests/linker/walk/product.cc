// SPDX-License-Identifier: Apache-2.0

// Every form of a module with every form of another, in one order or both, each output: after a
// successful link, the output has the kernels of both.
#include <cstdio>

#include "jobs.h"
#include "symbols.h"

namespace walk {

using namespace anycuda::linker;

namespace {

struct Mode {
  const char* name;
  Output output;
  bool lto;
  bool incremental;
};

constexpr Mode kModes[] = {{"CUBIN", Output::cubin, false, false},
                           {"CUBIN by lto", Output::cubin, true, false},
                           {"PTX", Output::ptx, true, false},
                           {"LTO-IR", Output::lto_ir, true, false},
                           {"partial CUBIN", Output::cubin, false, true},
                           {"partial CUBIN by lto", Output::cubin, true, true},
                           {"partial LTO-IR", Output::lto_ir, true, true}};

struct Count {
  int good = 0;
  int refused = 0;  // before the link
  int failed = 0;   // by nvJitLink
  int lost = 0;
};

void link(const Mode& mode, const std::vector<const Form*>& forms, Count* count) {
  std::vector<Input> inputs;
  std::set<std::string> wanted;
  std::string names;
  for (const Form* form : forms) {
    inputs.push_back(Input::bytes(form->type, form->bytes, form->name));
    wanted.insert(form->kernels.begin(), form->kernels.end());
    names += (names.empty() ? "" : " + ") + form->name;
  }
  Options options;
  options.arch = "sm_80";
  options.output = mode.output;
  options.lto = mode.lto;
  options.incremental = mode.incremental;
  try {
    anycuda::Linker linker(std::move(inputs), options);
    const std::set<std::string> came = kernels_of(linker.link(), mode.output, options.arch);
    ++count->good;
    if (came == wanted) return;
    ++count->lost;
    std::printf("LOST %s: %s gave %zu of %zu kernels\n", mode.name, names.c_str(), came.size(),
                wanted.size());
  } catch (const LinkError& error) {
    ++count->failed;
    std::printf("failed %s: %s: %s\n", mode.name, names.c_str(), error.what());
  } catch (const Error& error) {
    ++count->refused;
    std::printf("refused %s: %s: %s\n", mode.name, names.c_str(), error.what());
  }
}

}  // namespace

int product(const std::vector<Form>& forms) {
  std::vector<const Form*> firsts;
  for (const Form& form : forms) {
    const bool plain =
        form.name == "first.ptx" || form.name == "first.cubin" || form.name == "first.ltoir";
    if (plain) firsts.push_back(&form);
  }
  Count all;
  for (const Mode& mode : kModes) {
    Count count;
    for (const Form& form : forms) {
      link(mode, {&form}, &count);
      if (form.kernels.count("first") != 0) continue;  // the same kernel twice is another matter
      for (const Form* first : firsts) {
        const bool is_usual = (first->type == InputType::lto_ir) == mode.lto;
        if (mode.incremental && !is_usual) continue;  // as without
        link(mode, {first, &form}, &count);
        if (is_usual && first->type != InputType::ptx) link(mode, {&form, first}, &count);
      }
    }
    std::printf("%s: %d good\n", mode.name, count.good);
    all.refused += count.refused;
    all.failed += count.failed;
    all.lost += count.lost;
  }
  std::printf("refused: %d\nfailed: %d\nlost: %d\n", all.refused, all.failed, all.lost);
  return 0;
}

}  // namespace walk
