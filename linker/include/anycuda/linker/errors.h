// SPDX-License-Identifier: Apache-2.0

// The exceptions of Linker, Program, Library and Kernel, beside std::bad_alloc. what() has the
// request, the findings, the rule that failed, and what to do.
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
// are obviously of another type or truncated, a name of more than 32 KiB, LTO-IR without
// Options::lto, a type that the backend does not know. Or an input of which a linker would silently
// leave out a part: docs/linker.md, "Links that would lose code".
class InputError : public Error {
 public:
  InputError(const std::string& what, std::string name) : Error(what), name_(std::move(name)) {}
  const std::string& name() const { return name_; }  // the input's

 private:
  std::string name_;
};

// An option has an invalid value, or excludes another option.
class OptionError : public Error {
 public:
  OptionError(const std::string& what, std::string option)
      : Error(what), option_(std::move(option)) {}
  const std::string& option() const { return option_; }  // as in Options: "split_compile"

 private:
  std::string option_;
};

// The value is valid, but this backend does not have the option, or only from a later version on.
class UnsupportedOptionError : public OptionError {
 public:
  using OptionError::OptionError;
};

// No installed library can do it: the choice is refused (what() names both versions and the
// remedy), the forced backend or NVRTC is missing or does not answer, the driver has no current
// context, or a variable like ANYCUDA_STUB_COMPAT has an invalid value.
class BackendError : public Error {
 public:
  using Error::Error;
};

// The backend failed. what() has the function, the result by name, the inputs, the options and the
// error log. result() is 0 if the backend reported success but returned another type of output.
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

// NVRTC could not compile the source. what() has its log.
class CompileError : public Error {
 public:
  CompileError(const std::string& what, int result, std::string log)
      : Error(what), result_(result), log_(std::move(log)) {}
  int result() const { return result_; }  // an nvrtcResult; 0: neither output nor error
  const std::string& log() const { return log_; }

 private:
  int result_;
  std::string log_;
};

// A function of the driver failed, for a Library or a Kernel. what() has the function, the result
// by name, the code's name, the driver's log if it has one, and what to do.
class DriverError : public Error {
 public:
  DriverError(const std::string& what, int result) : Error(what), result_(result) {}
  int result() const { return result_; }  // a CUresult

 private:
  int result_;
};

// The Linker was closed, or moved from.
class ClosedError : public Error {
 public:
  using Error::Error;
};

}  // namespace anycuda::linker
