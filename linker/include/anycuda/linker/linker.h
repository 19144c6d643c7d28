// SPDX-License-Identifier: Apache-2.0

// Links device code with nvJitLink or with the driver's linker, depending on the inputs and the
// installed versions.
//
//   using namespace anycuda::linker;
//   Options options;
//   options.arch = "sm_80";
//   options.lto = true;
//   anycuda::Linker linker({kernel,  // of Program::compile(Output::lto_ir)
//                           Input::file("libhelpers.a")}, options);
//   linker::Code cubin = linker.link();  // for cuModuleLoadData, cuLibraryLoadData
//
// Each Linker makes its own choice: two Linkers of one process may differ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "anycuda/linker/cache.h"
#include "anycuda/linker/choice.h"
#include "anycuda/linker/code.h"
#include "anycuda/linker/errors.h"
#include "anycuda/linker/input.h"
#include "anycuda/linker/options.h"
#include "anycuda/linker/probe.h"
#include "anycuda/linker/which_backend.h"

namespace anycuda {

// Move-only. One Linker is for one thread at a time; separate ones are independent. A Linker that
// was moved from is closed. After fork() the child can use only Linkers that it makes itself.
class Linker {
 public:
  // In this order: inputs and options are checked (NoInputError, InputError, OptionError), the
  // backend is chosen (BackendError), the options are translated for it (UnsupportedOptionError,
  // InputError for a type that it does not know). So a wrong input or value is reported as such on
  // every machine. No backend is started; nvJitLink is opened if the choice depends on it.
  // linker::which_backend() gives the same choice, without a Linker.
  explicit Linker(std::vector<linker::Input> inputs, linker::Options options = {});
  ~Linker();
  Linker(Linker&& other) noexcept;
  Linker& operator=(Linker&& other) noexcept;
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  // Links, and returns code of type Options::output, which is checked: a CUBIN is an ELF for
  // CUDA, PTX is text with a .version (its final zero byte is removed), LTO-IR has LTO-IR's magic
  // number, and every function was defined by one input. May be called again: it then links again,
  // reads files again and replaces the logs. Throws LinkError, InputError (a file has changed so
  // that the constructor would refuse it; an input has no code for the context's device, if `arch`
  // is empty; LTO-IR of CUDA 12 for nvJitLink 13, which would accept it), BackendError (a context
  // is needed and none is current), OptionError (arch is not given and cannot be determined),
  // ClosedError. On every path the backend's objects are released.
  //
  // The driver's linker works in the calling thread's current context, which must exist
  // (cuLinkCreate); nvJitLink needs none, unless `arch` is empty.
  [[nodiscard]] linker::Code link();
  // The same with a cache (cache.h): the result and its logs are taken from it, or made and stored.
  // Files are read in either case, and found by their content. The checks before the link, and its
  // errors, are the same; an error is not stored. Not cached: inputs of type `index`, files larger
  // than 1 GiB, Options::time, options files in ptxas_options. `cache` is used only during the
  // call.
  [[nodiscard]] linker::Code link(linker::CodeCache& cache);

  // The backend's logs of the last link(), "" before it. They can be read after success, failure
  // and close(), but not after a move from this Linker.
  const std::string& info_log() const;
  const std::string& error_log() const;

  // Releases the inputs' memory; the logs stay. May be called again. After it link() is an error.
  void close() noexcept;
  bool closed() const;

  // These are known from construction on, also after close(). After a move from this Linker they
  // throw ClosedError.
  linker::Backend backend() const;
  const std::string& selection_reason() const;  // one sentence, with the versions it was decided by
  // Not known(): the choice did not need it, or it is unknown.
  linker::Version driver_version() const;
  // Not known(): absent, too old, or not needed. If the stubs refuse it: the refused file's
  // version.
  linker::Version nvjitlink_version() const;
  // A sentence for each option that the backend takes and ignores, for each object or library
  // without device code, and for each library from which the backend leaves out code of a whole
  // program.
  const std::vector<std::string>& warnings() const;

 private:
  struct State;
  linker::Code link(linker::CodeCache* cache);
  std::unique_ptr<State> state_;
};

}  // namespace anycuda
