// One compilation by NVRTC, from creation to the last byte given back.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "anycuda/linker/program.h"

namespace anycuda::linker {

struct Source {
  std::string text;
  std::string name;
  std::vector<Header> headers;
  std::vector<std::string> expressions;
};

struct Compiled {
  std::string bytes;
  std::string log;
  std::map<std::string, std::string> lowered;
  Version nvrtc;
};

// Throws as Program::compile says. `out` has the log and the version also then, as far as it came.
void compile(const Source& source, const ProgramOptions& options, Output output, Compiled* out);

// In NVRTC's own words; pure. Throws OptionError.
std::vector<std::string> nvrtc_options(const ProgramOptions& options, Output output);

}  // namespace anycuda::linker
