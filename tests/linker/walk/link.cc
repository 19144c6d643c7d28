// SPDX-License-Identifier: Apache-2.0

// One link of files, and its result in a line: the kernels, or the error.
#include <cstdio>
#include <map>

#include "jobs.h"
#include "symbols.h"

namespace walk {

using namespace anycuda::linker;

namespace {

template <typename Action>
void tell(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    std::printf("InputError: %s\n", error.what());
  } catch (const OptionError& error) {
    std::printf("OptionError: %s\n", error.what());
  } catch (const LinkError& error) {
    std::printf("LinkError: %s\n", error.what());
  } catch (const Error& error) {
    std::printf("Error: %s\n", error.what());
  }
}

}  // namespace

int link(const std::vector<std::string>& arguments) {
  const std::map<std::string, void (*)(Options*)> settings = {
      {"lto", [](Options* o) { o->lto = true; }},
      {"ptx", [](Options* o) { o->output = Output::ptx; }},
      {"lto_ir", [](Options* o) { o->output = Output::lto_ir; }},
      {"sm_90", [](Options* o) { o->arch = "sm_90"; }},
      {"driver", [](Options* o) { o->backend = Backend::driver; }}};
  Options options;
  options.arch = "sm_80";
  std::vector<Input> inputs;
  for (const std::string& argument : arguments) {
    const auto setting = settings.find(argument);
    if (setting != settings.end()) {
      setting->second(&options);
    } else {
      inputs.push_back(Input::file(InputType::any, argument));
    }
  }
  tell([&] {
    anycuda::Linker linker(inputs, options);
    for (const std::string& warning : linker.warnings()) std::printf("%s\n", warning.c_str());
    std::string kernels;
    for (const std::string& name : kernels_of(linker.link(), options.output, options.arch)) {
      kernels += " " + name;
    }
    std::printf("good:%s\n", kernels.c_str());
  });
  return 0;
}

}  // namespace walk
