// Links device code, with nvJitLink or with the driver's own linker, whichever is right for what is
// linked and what is here.
//
//   using namespace anycuda::linker;
//   Options options;
//   options.arch = "sm_80";
//   options.lto = true;
//   anycuda::Linker linker({Input::bytes(InputType::lto_ir, kernel, "kernel"),
//                           Input::bytes(InputType::lto_ir, helper, "helper")}, options);
//   std::string cubin = linker.link();  // for cuModuleLoadData, cuLibraryLoadData
//
// Each Linker chooses for itself: two of one process may differ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "anycuda/linker/choice.h"
#include "anycuda/linker/errors.h"
#include "anycuda/linker/input.h"
#include "anycuda/linker/options.h"
#include "anycuda/linker/probe.h"

namespace anycuda {

// Move-only. One Linker is for one thread at a time; separate ones are independent. A Linker that
// was moved from is closed. After fork() only a Linker of the child's own is of use to the child.
class Linker {
 public:
  // In this order: inputs and options are checked (NoInputError, InputError, OptionError), the
  // backend is chosen (BackendError), the options are translated for it (UnsupportedOptionError,
  // InputError for a type that it does not know). So a wrong input or value is reported as such on
  // every machine. No backend is started; nvJitLink is opened if the choice depends on it.
  explicit Linker(std::vector<linker::Input> inputs, linker::Options options = {});
  ~Linker();
  Linker(Linker&& other) noexcept;
  Linker& operator=(Linker&& other) noexcept;
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  // Links, and gives what Options::output asked for, checked to be that: a CUBIN is an ELF for
  // CUDA, PTX is text that has a .version (its final zero byte is taken off), LTO-IR has LTO-IR's
  // beginning, and no function was defined by two inputs. The bytes are the caller's. May be called
  // again: links anew, files are read anew, the logs are the new ones. Throws LinkError, InputError
  // (a file that has become what the constructor would refuse; an input without code for the
  // context's device where `arch` is empty; LTO-IR of CUDA 12 for an nvJitLink of 13, which would
  // take it unasked), BackendError (no current context where one is needed), OptionError (arch is
  // not given and cannot be had), ClosedError. On every path all that the backend made is given
  // back.
  //
  // The driver's linker works in the calling thread's current context, which must exist
  // (cuLinkCreate); nvJitLink needs none, unless `arch` is empty.
  std::string link();

  // The backend's logs of the last link(), "" before it. They can be read after success, after
  // failure and after close(); not after a move from this Linker.
  const std::string& info_log() const;
  const std::string& error_log() const;

  // Gives the inputs' memory back; the logs stay. More than once is fine. link() is an error then.
  void close() noexcept;
  bool closed() const;

  // All of these: known from construction on, also after close(). After a move from this Linker:
  // ClosedError.
  linker::Backend backend() const;
  const std::string& selection_reason() const;  // one sentence, with the versions it was decided by
  // Not known(): it was not asked for (the choice did not need it), or is unknown.
  linker::Version driver_version() const;
  // Not known(): absent, too old, or not asked for. Of one that the stubs refuse: its own.
  linker::Version nvjitlink_version() const;
  // A sentence for each option that the backend takes and ignores, for each object or library
  // without device code, and for each library of which the backend leaves code of a whole program
  // out.
  const std::vector<std::string>& warnings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anycuda
