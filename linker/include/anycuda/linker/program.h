// SPDX-License-Identifier: Apache-2.0

// Compiles CUDA C++ source to PTX, CUBIN or LTO-IR with NVRTC: the step before linking. Compiles
// PTX to a CUBIN with a Linker.
//
//   anycuda::Program program(source, "kernel.cu");
//   linker::Code kernel = program.compile(linker::Output::lto_ir);  // an input of a Linker
//
// Sources: NVRTC documentation, "User Interface" and "Supported Compile Options".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "anycuda/linker/cache.h"
#include "anycuda/linker/code.h"
#include "anycuda/linker/errors.h"
#include "anycuda/linker/options.h"

namespace anycuda {

namespace linker {

// What a Program's source is.
enum class Language : std::uint8_t {
  cuda,    // CUDA C++, compiled by NVRTC
  ptx,     // PTX, compiled to a CUBIN by nvJitLink or the driver, which a Linker selects
  nvvm_ir  // refused: only libNVVM compiles it (NVRTC and nvJitLink 12.9 and 13.5 do not)
};
const char* name_of(Language language);  // "CUDA C++"

struct ProgramOptions {
  // The architecture that code is made for: "sm_80", "sm_90a", "sm_100f". "compute_80" means the
  // same, as in Options. Empty: for a CUBIN, of the device of the calling thread's current context,
  // asked by compile(); for PTX and LTO-IR, NVRTC's default.
  std::string arch = {};
  std::string standard = {};  // "c++17"; empty: NVRTC's default
  bool relocatable = false;   // -rdc=true: may use definitions of other modules. LTO-IR always may
  bool debug = false;         // -G
  bool line_info = false;
  std::optional<int> max_registers = {};  // 1 or more
  std::optional<bool> ftz = {};
  std::optional<bool> prec_div = {};
  std::optional<bool> prec_sqrt = {};
  std::optional<bool> fma = {};
  std::vector<std::string> include_folders = {};
  std::vector<std::string> defines = {};  // "N=4"
  std::vector<std::string> others = {};   // further NVRTC options, after all of the above
  // For PTX only arch, debug, line_info, max_registers, ptxas_options and split_compile may be set:
  // the others would change nothing, since the PTX is already compiled.
  Language language = Language::cuda;

  std::vector<std::string> undefines = {};      // names of macros
  std::vector<std::string> pre_includes = {};   // headers to include before the source
  bool fast_math = false;                       // -use_fast_math: ftz, fma, no prec_div, prec_sqrt
  bool optimized_debug = false;                 // with debug: keep the optimisations (--dopt=on)
  bool extensible_whole_program = false;        // -ewp: may launch kernels from the device
  bool minimal = false;                         // fewer language features, faster: NVRTC 12.4
  std::optional<int> split_compile = {};        // threads, 0: one per CPU: NVRTC 12.0
  std::vector<std::string> ptxas_options = {};  // each one option of ptxas
  // The time of each phase is written to this file, which is replaced, in the format of Chrome's
  // traces: NVRTC 12.8. The folder must exist, and the name must have one dot, before "json": NVRTC
  // writes no other names, and ends the process if it cannot write the file (measured: 12.5 to
  // 13.5).
  std::string time_trace = {};

  // Precompiled headers: NVRTC 12.8. docs/linker.md, "Precompiled headers".
  bool pch = false;             // creates and uses files automatically; not with the next two
  std::string create_pch = {};  // this file is created
  std::string use_pch = {};     // this file is used
  std::string pch_dir = {};     // an existing folder for the files
  std::optional<bool> pch_verbose = {};   // says in the log why a file is not used
  std::optional<bool> pch_messages = {};  // says in the log what is created and used
  std::optional<bool> instantiate_templates_in_pch = {};  // before the file is written
};

// What became of the file that `pch` or `create_pch` asks for.
enum class PchStatus : std::uint8_t {
  not_requested,  // neither is set, or nothing was compiled
  created,
  not_attempted,  // NVRTC decided against it: it used a file, or the source has no headers
  failed          // the log says why
};
const char* name_of(PchStatus status);  // "created"

struct CacheUse;

// A file that the source may include by this name, without a file system.
struct Header {
  std::string name = {};
  std::string content = {};
};

}  // namespace linker

// Move-only. One Program is for one thread at a time; separate ones are independent.
class Program {
 public:
  // Does not check anything yet. `name` is the source's name in NVRTC's messages.
  explicit Program(std::string source, std::string name = "program.cu",
                   linker::ProgramOptions options = {}, std::vector<linker::Header> headers = {});
  ~Program();
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // To be called before compile(): "&scale<float>" (nvrtcAddNameExpression).
  void add_name_expression(std::string expression);

  // Compiles, and returns the code: PTX without its final zero byte, a CUBIN, or LTO-IR (NVRTC 12.0
  // or later), with its log and lowered names. May be called again, also for another output. Throws
  // NoInputError (empty source), InputError (a zero byte in a text or a name; not PTX), OptionError
  // (an invalid value; a CUBIN without `arch` and without a current context; an option, header,
  // name expression or output that the language does not have; an option that this NVRTC does not
  // have), BackendError (NVRTC is missing or too old; for PTX, no linker can be used),
  // CompileError, ClosedError (moved from).
  [[nodiscard]] linker::Code compile(linker::Output output);
  // The same with a cache (cache.h): the result is taken from it, or made and stored. Checks of the
  // source and the options, and errors, are the same; an error is not stored. A result is not
  // cached if it may depend on files: the source or a header includes a name that is not one of
  // `headers`, or include_folders or pre_includes is set; unless `files` is not empty. `files` is a
  // text that changes whenever such a file changes, for example a hash of the headers or the
  // version of the package that has them. Never cached: options that write files (precompiled
  // headers, time_trace), unknown options in `others`, __DATE__ and __TIME__. `cache` is used only
  // during the call.
  [[nodiscard]] linker::Code compile(linker::Output output, linker::CodeCache& cache,
                                     std::string files = {});

  // The messages of the last compile(), with warnings, also after a failure; "" before it.
  const std::string& log() const;
  // The name that an added expression has in the code of the last compile(). Throws
  // std::out_of_range for an expression that was not added, or before a successful compile().
  [[nodiscard]] const std::string& lowered_name(const std::string& expression) const;
  // Whether the last compile() created a precompiled header.
  linker::PchStatus pch_status() const;
  // The version of the NVRTC that the last compile() used; not known() before it, and for PTX.
  linker::Version nvrtc_version() const;

 private:
  struct State;
  linker::Code compile(linker::Output output, const linker::CacheUse& use);
  std::unique_ptr<State> state_;
};

}  // namespace anycuda
