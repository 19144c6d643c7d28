// CUDA C++ source to PTX, CUBIN or LTO-IR, with NVRTC: where linking starts.
//
//   anycuda::Program program(source, "kernel.cu");
//   std::string ltoir = program.compile(linker::Output::lto_ir);
//
// Sources: NVRTC documentation, "User Interface" and "Supported Compile Options".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "anycuda/linker/errors.h"
#include "anycuda/linker/options.h"

namespace anycuda {

namespace linker {

struct ProgramOptions {
  // "compute_80" (PTX, LTO-IR), "sm_80" (CUBIN too). Empty: NVRTC's own default.
  std::string arch;
  std::string standard;      // "c++17"; empty: NVRTC's own default
  bool relocatable = false;  // -rdc=true: may refer to what other modules define. LTO-IR is always
  bool debug = false;        // -G
  bool line_info = false;
  std::optional<int> max_registers;  // 1 or more
  std::optional<bool> ftz;
  std::optional<bool> prec_div;
  std::optional<bool> prec_sqrt;
  std::optional<bool> fma;
  std::vector<std::string> include_folders;
  std::vector<std::string> defines;  // "N=4"
  std::vector<std::string> others;   // NVRTC's options as they are, after all of the above
};

// A file that the source may include by this name, without a file system.
struct Header {
  std::string name;
  std::string content;
};

}  // namespace linker

// Move-only. One Program is for one thread at a time; separate ones are independent.
class Program {
 public:
  // Checks nothing yet. `name` is what NVRTC's messages call the source.
  explicit Program(std::string source, std::string name = "program.cu",
                   linker::ProgramOptions options = {}, std::vector<linker::Header> headers = {});
  ~Program();
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // To be asked for before compile(): "&scale<float>" (nvrtcAddNameExpression).
  void add_name_expression(std::string expression);

  // Compiles, and gives the bytes: PTX without its final zero byte, a CUBIN (`arch` must be an
  // sm_...), or LTO-IR (NVRTC 12.0 or later). May be called again, for another output too. Throws
  // NoInputError (empty source), InputError (a zero byte in a text or a name), OptionError (a wrong
  // value, or an arch that does not go with the output), BackendError (no NVRTC, or it is too old
  // for it), CompileError, ClosedError (moved from).
  std::string compile(linker::Output output);

  // NVRTC's messages of the last compile(), warnings too; "" before it. After failure too.
  const std::string& log() const;
  // The name in the code of an expression that was added, by the last compile(). Throws
  // std::out_of_range for one that was not added, or before a compile() that succeeded.
  const std::string& lowered_name(const std::string& expression) const;
  // Of the NVRTC that the last compile() used; not known() before it.
  linker::Version nvrtc_version() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anycuda
