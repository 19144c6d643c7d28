// SPDX-License-Identifier: Apache-2.0

// The guard rails on a real machine, step by step: each argument is a step, and each prints its
// result. "mode=", "constraint=", "driver=12.2/535", "nodriver", "allow=a,b" and "process" (the
// instance of the process) come before the first step.
//
//   rails driver=12.9/575 load:nvrtc pipeline:nvrtc,nvJitLink,PTX load:nvJitLink
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "anycuda/compat/guard_rails.h"

using namespace anycuda::compat;

namespace {

std::string name_of_type(const Error& error) {
  if (dynamic_cast<const DriverToolkitError*>(&error)) return "DriverToolkitError";
  if (dynamic_cast<const ToolkitMismatchError*>(&error)) return "ToolkitMismatchError";
  if (dynamic_cast<const InsufficientMetadataError*>(&error)) return "InsufficientMetadataError";
  if (dynamic_cast<const NotFoundError*>(&error)) return "NotFoundError";
  if (dynamic_cast<const ConstraintError*>(&error)) return "ConstraintError";
  if (dynamic_cast<const SettingError*>(&error)) return "SettingError";
  if (dynamic_cast<const DriverQueryError*>(&error)) return "DriverQueryError";
  if (dynamic_cast<const LoadError*>(&error)) return "LoadError";
  if (dynamic_cast<const UnknownNameError*>(&error)) return "UnknownNameError";
  return "Error";
}

std::string cut(std::string* text, char at) {
  const std::size_t end = text->find(at);
  const std::string first = text->substr(0, end);
  *text = end == std::string::npos ? "" : text->substr(end + 1);
  return first;
}

// True if the argument was an option.
bool take_option(const std::string& argument, Options* options, bool* process) {
  std::string value = argument;
  const std::string key = cut(&value, '=');
  if (key == "process") {
    *process = true;
  } else if (key == "nodriver") {
    options->driver = anycuda::DriverFacts{};
  } else if (key == "mode") {
    options->mode = anycuda::parse_mode(value.c_str(), Mode::strict).value;
  } else if (key == "constraint") {
    options->constraint = value;
  } else if (key == "driver") {
    anycuda::DriverFacts facts;
    facts.present = true;
    std::sscanf(value.c_str(), "%d.%d/%d", &facts.cuda.major, &facts.cuda.minor, &facts.branch);
    options->driver = facts;
  } else if (key == "allow") {
    const std::string first = cut(&value, ',');
    options->allow_mixed_majors.emplace_back(first, value);
  } else {
    return false;
  }
  return true;
}

// Does the process have a file of that name?
bool has_mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

std::string declare(CompatibilityGuardRails* rails, std::string text) {
  Pipeline pipeline;
  pipeline.producer = cut(&text, ',');
  pipeline.consumer = cut(&text, ',');
  while (!text.empty()) pipeline.formats.push_back(format_named(cut(&text, ',')));
  rails->declare_pipeline(pipeline);
  return "declared";
}

// Compiles with the NVRTC that the guard rails load: NVRTC's status.
std::string compile(CompatibilityGuardRails* rails) {
  void* const nvrtc = rails->load_dynamic_library("nvrtc").handle;
  using Create = int (*)(void**, const char*, const char*, int, const char**, const char**);
  using Compile = int (*)(void*, int, const char**);
  void* program = nullptr;
  const int status = reinterpret_cast<Create>(dlsym(nvrtc, "nvrtcCreateProgram"))(
      &program, "__global__ void kernel() {}", "kernel.cu", 0, nullptr, nullptr);
  if (status != 0) return "no program: " + std::to_string(status);
  return std::to_string(
      reinterpret_cast<Compile>(dlsym(nvrtc, "nvrtcCompileProgram"))(program, 0, nullptr));
}

std::string do_step(CompatibilityGuardRails* rails, const std::string& step) {
  std::string name = step;
  const std::string what = cut(&name, ':');
  if (what == "load") {
    const LoadedLibrary library = rails->load_dynamic_library(name);
    return library.path + (library.was_loaded ? " (was loaded)" : "");
  }
  if (what == "compile") return compile(rails);
  if (what == "library") return rails->find_dynamic_library(name);
  if (what == "headers") return rails->find_headers(name);
  if (what == "static") return rails->find_static_library(name);
  if (what == "bitcode") return rails->find_bitcode_library(name);
  if (what == "program") return rails->find_program(name);
  if (what == "pipeline") return declare(rails, name);
  if (what == "mapped") return has_mapped(name) ? "yes" : "no";
  if (what == "mode") return anycuda::name_of(rails->mode());
  // As other code would.
  if (what == "dlopen") return dlopen(name.c_str(), RTLD_NOW) != nullptr ? "open" : dlerror();
  if (what == "reset") {
    reset_process_guard_rails();
    return "reset";
  }
  if (what == "setenv") {
    const std::string variable = cut(&name, '=');
    return setenv(variable.c_str(), name.c_str(), 1) == 0 ? "set" : "not set";
  }
  if (what == "clear") {
    rails->clear_caches();
    return "cleared";
  }
  return "no such step";
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  bool process = false;
  int i = 1;
  while (i < count && take_option(arguments[i], &options, &process)) ++i;
  std::unique_ptr<CompatibilityGuardRails> own;
  for (; i < count; ++i) {
    std::cout << arguments[i] << ": ";
    try {
      if (!process && own == nullptr) own = std::make_unique<CompatibilityGuardRails>(options);
      std::cout << do_step(process ? &process_guard_rails() : own.get(), arguments[i]) << "\n";
    } catch (const Error& error) {
      std::cout << name_of_type(error) << ": " << error.what() << "\n";
    }
  }
  return 0;
}
