// SPDX-License-Identifier: Apache-2.0

// One compilation, from the source to the returned bytes: by NVRTC, or of PTX by a Linker.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "anycuda/linker/cache.h"
#include "anycuda/linker/program.h"
#include "linker/inputs/source.h"

namespace anycuda::linker {

// The caller's cache and what it says about files on disk (Program::compile).
struct CacheUse {
  CodeCache* cache = nullptr;
  std::string files = {};
};

struct Compiled {
  std::string bytes;
  std::string log;
  std::map<std::string, std::string> lowered;
  Version nvrtc;
  PchStatus pch = PchStatus::not_requested;
};

// Throws as Program::compile documents. On an error, too, `out` has the log and the version that
// were read before it.
void compile(const Source& source, const ProgramOptions& options, Output output, Compiled* out,
             const CacheUse& use = {});

// The same for one language.
void compile_cuda(const Source& source, const ProgramOptions& options, Output output, Compiled* out,
                  const CacheUse& use);
void compile_ptx(const Source& source, const ProgramOptions& options, Output output, Compiled* out,
                 const CacheUse& use);

// The options of nvrtcCompileProgram, without -arch if ProgramOptions::arch is empty. Throws
// OptionError.
std::vector<std::string> nvrtc_options(const ProgramOptions& options, Output output);

}  // namespace anycuda::linker
