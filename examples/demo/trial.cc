// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <sstream>

namespace anycuda::demo {
namespace {

std::string value(const Fields& fields, const std::string& name) {
  const auto field = fields.find(name);
  return field == fields.end() ? "(nothing)" : field->second;
}

// "error 35" of "cudaErrorInsufficientDriver (35)".
std::string short_error(const std::string& answer) {
  const size_t open = answer.rfind('('), close = answer.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return answer;
  return "error " + answer.substr(open + 1, close - open - 1);
}

// A library of the machine by its name alone; one from elsewhere keeps its path and so is not as
// expected.
std::string without_folder(const std::string& library, const test::Machine& machine) {
  const std::string inside = machine.root().string() + "/";
  if (library.compare(0, inside.size(), inside) != 0) return library;
  return std::filesystem::path(library).filename().string();
}

// Why no runtime was loaded: an installed one is only ever refused because of the driver.
std::string no_runtime(const Setup& setup) {
  return setup.installed.empty() ? "no CUDA: " : "driver too old: ";
}

}  // namespace

void install(const Setup& setup, test::Machine& machine) {
  for (const Release& release : releases()) {
    for (const int major : setup.installed) {
      if (major != release.major) continue;
      machine.wheel(test::cudart, release.version).wheel(test::nvrtc, release.version);
      if (!release.nvjitlink_file.empty()) machine.wheel(test::nvjitlink, release.version);
    }
  }
  if (setup.driver) machine.driver(kDriverBranch);
}

Trial run_on(const test::Machine& machine, const std::filesystem::path& program) {
  const test::ProcessResult result = machine.run({program.string()});
  Trial trial;
  trial.err = result.err;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) trial.got[line.substr(0, colon)] = line.substr(colon + 2);
  }
  const auto library = trial.got.find("library");
  if (library != trial.got.end()) library->second = without_folder(library->second, machine);
  trial.got["report"] = result.err.empty() ? "no" : "yes";
  trial.got["ended"] = result.timed_out     ? "not at all: killed after its time was up"
                       : result.signal != 0 ? "by signal " + std::to_string(result.signal)
                       : result.status != 0 ? "with status " + std::to_string(result.status)
                                            : "normally";
  return trial;
}

std::vector<std::string> differences(const Fields& expected, const Fields& got) {
  std::vector<std::string> all;
  for (const auto& [name, wanted] : expected) {
    if (value(got, name) != wanted) {
      all.push_back(name + ": expected \"" + wanted + "\", got \"" + value(got, name) + "\"");
    }
  }
  for (const auto& [name, found] : got) {
    if (expected.count(name) == 0)
      all.push_back(name + ": expected nothing, got \"" + found + "\"");
  }
  return all;
}

std::string in_words(Program program, const Setup& setup, const Fields& got) {
  if (value(got, "ended") != "normally") return "ended " + value(got, "ended");
  const std::string library = value(got, "library");
  switch (program) {
    case Program::versions: {
      const std::string runtime = value(got, "runtime");
      const bool error = runtime.find('(') != std::string::npos;
      if (library == "none") return no_runtime(setup) + short_error(runtime);
      return "ran on " + library + (error ? "" : " (" + runtime + ")");
    }
    case Program::runtime: {
      const std::string answer = short_error(value(got, "device count"));
      return (library == "none" ? no_runtime(setup) : library + ": ") + answer;
    }
    case Program::nvrtc_compile:
      if (library == "none") return "no NVRTC: " + short_error(value(got, "compile"));
      if (got.count("ptx") == 0 || got.count("cubin") == 0) {
        return library + ": " + short_error(value(got, "compile"));
      }
      return "PTX, CUBIN by NVRTC " + value(got, "nvrtc");
    case Program::jitlink:
      if (library == "none") return "no nvJitLink: " + short_error(value(got, "link"));
      if (got.count("cubin") == 0) return library + ": " + short_error(value(got, "link"));
      return "CUBIN by nvJitLink " + value(got, "nvjitlink");
  }
  return "?";
}

}  // namespace anycuda::demo
