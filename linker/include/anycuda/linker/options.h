// SPDX-License-Identifier: Apache-2.0

// The options of a link. An option that is not set has the backend's default. Linker's constructor
// checks options before it searches for a library. Each option is then passed to the backend, or
// refused by name if the backend does not have it (UnsupportedOptionError), or, if the driver takes
// and ignores it, reported in Linker::warnings(). A boolean that is false is never passed as true.
//
// Sources: nvJitLink documentation, "Supported Link Options"; CUDA Driver API, CUjit_option. Both
// tried on nvJitLink 12.3 to 13.5; docs/linker.md has a table of all options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "anycuda/linker/choice.h"

namespace anycuda::linker {

enum class Output : std::uint8_t {
  cubin,  // by either backend
  ptx,    // by nvJitLink with lto; all code of every input must have LTO-IR
  lto_ir  // the same by nvJitLink 13.3 or later; Program: by NVRTC 12.0 or later
};
const char* name_of(Output output);  // "CUBIN"

// The caches for loads from global memory (CUjit_cacheMode).
enum class CacheMode : std::uint8_t { none, l2_only, l1_and_l2 };

struct Options {
  // The architecture that code is made for: "sm_80", "sm_90a", "sm_100f". "compute_80" means the
  // same, as in ProgramOptions. Empty: of the device of the calling thread's current context, asked
  // when the link is made.
  std::string arch = {};
  Output output = Output::cubin;
  bool lto = false;          // link-time optimisation: nvJitLink only; an input must hold LTO-IR
  bool incremental = false;  // -r: a partial CUBIN or LTO-IR, to be linked again: nvJitLink 13.2

  std::optional<int> optimization_level = {};  // 0 to 4; nvJitLink knows 0 and 3
  bool debug = false;                          // -g
  bool line_info = false;
  bool verbose = false;                   // more in the info log
  bool time = false;                      // times in the info log: only nvJitLink
  std::optional<int> max_registers = {};  // per thread, 1 or more

  // For code that is compiled by the link (lto); the driver ignores them.
  std::optional<bool> ftz = {};        // flush denormals to zero
  std::optional<bool> prec_div = {};   // division rounded to nearest
  std::optional<bool> prec_sqrt = {};  // the same of square roots
  std::optional<bool> fma = {};        // contract a * b + c

  // With lto: code that is neither named here nor used by it may be removed. The driver ignores
  // them.
  std::vector<std::string> kernels_used = {};    // names as in the code, mangled
  std::vector<std::string> variables_used = {};  // the same
  bool optimize_unused_variables = false;

  std::vector<std::string> ptxas_options = {};     // each one option of ptxas: only nvJitLink
  std::vector<std::string> nvvm_options = {};      // each one option of libNVVM: only nvJitLink
  std::optional<int> split_compile = {};           // threads, 0: one per CPU: only nvJitLink
  std::optional<int> split_compile_extended = {};  // the same, with lto
  std::optional<int> jump_table_density = {};      // per cent, 0 to 101: only nvJitLink
  bool no_cache = false;                           // nvJitLink 12.5; the driver ignores it
  std::optional<CacheMode> cache_mode = {};        // only the driver

  // The driver writes its logs into two buffers of this many bytes each, 16 to 1 GiB; a longer log
  // is cut, with a note at its end. nvJitLink's logs have no limit.
  std::size_t log_bytes = std::size_t{256} * 1024;

  Rule rule = Rule::newer_driver;
  std::optional<Backend> backend = {};  // forces this backend: the table is not used
};

}  // namespace anycuda::linker
