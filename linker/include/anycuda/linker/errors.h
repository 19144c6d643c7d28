// What Linker and Program throw; std::bad_alloc besides. Each says in what(): what was asked, what
// was found, which rule failed, what would help.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace anycuda::linker {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nothing to link, or no source.
class NoInputError : public Error {
 public:
  using Error::Error;
};

// An input that cannot be linked: unknown type, no bytes, a file that cannot be read, bytes that
// are plainly of another type or cut, a name of more than 32 KiB, LTO-IR without Options::lto, a
// type that the backend does not know. Or one of which a part would be left out without a word:
// docs/linker.md, "What would be lost".
class InputError : public Error {
 public:
  InputError(const std::string& what, std::string name) : Error(what), name_(std::move(name)) {}
  const std::string& name() const { return name_; }  // the input's

 private:
  std::string name_;
};

// An option has a value that it cannot have, or goes not with another.
class OptionError : public Error {
 public:
  OptionError(const std::string& what, std::string option)
      : Error(what), option_(std::move(option)) {}
  const std::string& option() const { return option_; }  // as in Options: "split_compile"

 private:
  std::string option_;
};

// The value is right, but this backend has no such option, or only from a later version on.
class UnsupportedOptionError : public OptionError {
 public:
  using OptionError::OptionError;
};

// Nothing that is here can do it: the choice is refused (both versions and the cure are named), the
// forced backend or NVRTC is not there or does not answer, the driver has no current context, or a
// variable like ANYCUDA_STUB_COMPAT has an invalid value.
class BackendError : public Error {
 public:
  using Error::Error;
};

// The backend was asked and failed. what() has the function, the result by name, the inputs, the
// options and the error log. result() is 0 where it succeeded and gave what was not asked for.
class LinkError : public Error {
 public:
  LinkError(const std::string& what, int result, std::string error_log, std::string info_log)
      : Error(what),
        result_(result),
        error_log_(std::move(error_log)),
        info_log_(std::move(info_log)) {}
  int result() const { return result_; }  // an nvJitLinkResult or a CUresult, by backend
  const std::string& error_log() const { return error_log_; }
  const std::string& info_log() const { return info_log_; }

 private:
  int result_;
  std::string error_log_;
  std::string info_log_;
};

// NVRTC did not compile the source. what() has its log.
class CompileError : public Error {
 public:
  CompileError(const std::string& what, int result, std::string log)
      : Error(what), result_(result), log_(std::move(log)) {}
  int result() const { return result_; }  // an nvrtcResult; 0: it gave nothing and no error
  const std::string& log() const { return log_; }

 private:
  int result_;
  std::string log_;
};

// The Linker was closed, or moved from.
class ClosedError : public Error {
 public:
  using Error::Error;
};

}  // namespace anycuda::linker
