// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <stdexcept>

namespace child {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::printf("\n");
}

std::string error_of(const std::function<void()>& action, std::string* what) {
  std::string text;
  const auto named = [&](const char* name, const std::exception& error) {
    if (what != nullptr) *what = error.what();
    return std::string(name);
  };
  try {
    action();
    return "";
  } catch (const NoInputError& error) {
    return named("NoInputError", error);
  } catch (const InputError& error) {
    return named("InputError", error);
  } catch (const UnsupportedOptionError& error) {
    return named("UnsupportedOptionError", error);
  } catch (const OptionError& error) {
    return named("OptionError", error);
  } catch (const BackendError& error) {
    return named("BackendError", error);
  } catch (const LinkError& error) {
    return named("LinkError", error);
  } catch (const CompileError& error) {
    return named("CompileError", error);
  } catch (const DriverError& error) {
    return named("DriverError", error);
  } catch (const ClosedError& error) {
    return named("ClosedError", error);
  } catch (const std::bad_alloc& error) {
    return named("bad_alloc", error);
  } catch (const std::exception& error) {
    return named("another exception", error);
  }
}

std::vector<Input> modules(const std::string& folder, InputType type) {
  const std::string end = type == InputType::ptx ? ".ptx" : ".ltoir";
  std::vector<Input> inputs;
  for (const char* name : {"kernel", "helper"}) {
    inputs.push_back(Input::bytes(type, read(folder + "/" + name + end), name));
  }
  return inputs;
}

Options options_for(InputType type) {
  Options options;
  options.arch = "sm_80";
  options.lto = type == InputType::lto_ir;
  return options;
}

}  // namespace child

int main(int count, char** arguments) {
  const std::map<std::string, int (*)(const child::Arguments&)> jobs = {
      {"rows", child::rows},       {"outputs", child::outputs},   {"containers", child::containers},
      {"options", child::options}, {"faults", child::faults},     {"life", child::life},
      {"probes", child::probes},   {"programs", child::programs}, {"headers", child::headers},
      {"library", child::library}, {"driver", child::driver},     {"no_memory", child::no_memory},
      {"cache", child::cache},
  };
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const auto job = jobs.find(count > 1 ? arguments[1] : "");
  if (job == jobs.end()) return 2;
  try {
    return job->second(child::Arguments(arguments + 2, arguments + count));
  } catch (const std::exception& error) {
    child::say("uncaught: %s", error.what());
    return 1;
  }
}
