// SPDX-License-Identifier: Apache-2.0

// Real links: the outputs are written into files, for other programs to check.
#include "child.h"

namespace child {
namespace {

std::string linked(std::vector<Input> inputs, const Options& options) {
  Linker linker(std::move(inputs), options);
  return linker.link();
}

void partial(const std::string& folder, const std::string& out) {
  for (const InputType type : {InputType::ptx, InputType::lto_ir}) {
    Options options = options_for(type);
    options.incremental = true;
    std::vector<Input> inputs = modules(folder, type);
    const Input helper = inputs.back();
    inputs.pop_back();
    // Only kernel: helper is not resolved yet.
    const std::string part = linked(inputs, options);
    Options final = options_for(type);
    write(out + "/partial-" + (options.lto ? "lto" : "ptx") + ".cubin",
          linked({Input::bytes(InputType::cubin, part, "part"), helper}, final));
  }
}

// LTO-IR to LTO-IR, which is then linked like any other.
void lto_ir(const std::string& folder, const std::string& out) {
  Options options = options_for(InputType::lto_ir);
  options.incremental = true;
  options.output = Output::lto_ir;
  std::vector<Input> inputs = modules(folder, InputType::lto_ir);
  const std::string aggregate = linked({inputs[0]}, options);
  write(out + "/lto-twice.cubin",
        linked({Input::bytes(InputType::any, aggregate, "aggregate"), inputs[1]},
               options_for(InputType::lto_ir)));
}

}  // namespace

// folder out, then what else this nvJitLink can do: incremental, lto_ir
int outputs(const Arguments& arguments) {
  const std::string& folder = arguments.at(0);
  const std::string& out = arguments.at(1);
  write(out + "/ptx.cubin", linked(modules(folder, InputType::ptx), options_for(InputType::ptx)));
  Options lto = options_for(InputType::lto_ir);
  write(out + "/lto.cubin", linked(modules(folder, InputType::lto_ir), lto));
  lto.output = Output::ptx;
  const std::string ptx = linked(modules(folder, InputType::lto_ir), lto);
  write(out + "/lto.ptx", ptx);
  lto.arch = "compute_80";
  say("the same PTX by compute_80: %d", linked(modules(folder, InputType::lto_ir), lto) == ptx);
  Options other = options_for(InputType::ptx);
  const std::string cubin = linked(modules(folder, InputType::ptx), other);
  other.arch = "compute_80";
  say("the same CUBIN by compute_80: %d", linked(modules(folder, InputType::ptx), other) == cubin);
  // A linker accepts the PTX: nvJitLink has the ptxas of its release.
  write(out + "/again.cubin",
        linked({Input::bytes(InputType::any, ptx, "again")}, options_for(InputType::ptx)));
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] == "incremental") partial(folder, out);
    if (arguments[i] == "lto_ir") lto_ir(folder, out);
  }
  return 0;
}

// folder nvcc's-folder out: an object, a library, a fatbin and a CUBIN of nvcc and NVRTC, each as
// bytes and as a file, each recognised and named.
int containers(const Arguments& arguments) {
  const std::string kernel = read(arguments.at(0) + "/kernel.ptx");
  const std::string& nvcc = arguments.at(1);
  struct Form {
    InputType type;
    std::string path;
  };
  const Form forms[] = {{InputType::object, nvcc + "/helper.o"},
                        {InputType::library, nvcc + "/libhelper.a"},
                        {InputType::fatbin, nvcc + "/helper.fatbin"},
                        {InputType::cubin, arguments.at(0) + "/helper.cubin"},
                        {InputType::ptx, arguments.at(0) + "/helper.ptx"}};
  for (const Form& form : forms) {
    const std::string bytes = read(form.path);
    const Input inputs[] = {
        Input::bytes(form.type, bytes, "helper"), Input::bytes(InputType::any, bytes, "helper"),
        Input::file(form.type, form.path), Input::file(InputType::any, form.path)};
    int good = 0;
    std::string what;
    for (const Input& input : inputs) {
      const std::string error = error_of(
          [&] {
            const std::string cubin =
                linked({Input::bytes(InputType::ptx, kernel, "kernel"), input},
                       options_for(InputType::ptx));
            if (&input == inputs) {
              write(arguments.at(2) + "/" + std::to_string(static_cast<int>(form.type)) + ".cubin",
                    cubin);
            }
          },
          &what);
      good += error.empty();
      if (!error.empty()) say("  %s: %s", error.c_str(), what.c_str());
    }
    say("%s: %d of 4", name_of(form.type), good);
  }
  return 0;
}

}  // namespace child
