// SPDX-License-Identifier: Apache-2.0

// The exceptions of the guard rails. what() names the examined files, the rule that failed, and
// what would help. docs/compatibility.md shows a real message of every type.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace anycuda::compat {

// what() has control characters, which file names may contain, as visible escapes: "\x0a" is a
// newline.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& line) : Error(std::vector<std::string>{line}) {}
  explicit Error(const std::vector<std::string>& lines);
};

// A component is incompatible with the driver, another component, or the caller's constraint or
// pipeline. The thrown exception is one of the two below.
class IncompatibleError : public Error {
 public:
  using Error::Error;
};

// The driver cannot run this toolkit.
class DriverToolkitError : public IncompatibleError {
 public:
  using IncompatibleError::IncompatibleError;
};

// Two components, or a component and the caller's constraint or pipeline, are incompatible.
class ToolkitMismatchError : public IncompatibleError {
 public:
  using IncompatibleError::IncompatibleError;
};

// No authoritative source states a fact that a rule needs: the toolkit of a file or the driver's
// branch.
class InsufficientMetadataError : public Error {
 public:
  using Error::Error;
};

// The component was not found. `searched` are the folders and files that were looked at, in order.
class NotFoundError : public Error {
 public:
  NotFoundError(const std::string& line, std::vector<std::string> places)
      : Error(line), searched_(std::move(places)) {}
  NotFoundError(const std::vector<std::string>& lines, std::vector<std::string> places)
      : Error(lines), searched_(std::move(places)) {}
  const std::vector<std::string>& searched() const { return searched_; }

 private:
  std::vector<std::string> searched_;
};

// The text is not a PEP 440 version specifier.
class ConstraintError : public Error {
 public:
  using Error::Error;
};

// A variable or an option has an invalid value, or one that this system does not have.
class SettingError : public Error {
 public:
  using Error::Error;
};

// The driver library is missing or does not answer cuDriverGetVersion.
class DriverQueryError : public Error {
 public:
  using Error::Error;
};

// The dynamic linker refused the file, or the library that it opened is not what its file says.
class LoadError : public Error {
 public:
  using Error::Error;
};

// No component, kind or format of that name is in the catalogue; the message lists similar names.
class UnknownNameError : public Error {
 public:
  using Error::Error;
};

}  // namespace anycuda::compat
