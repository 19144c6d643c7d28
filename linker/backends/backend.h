// SPDX-License-Identifier: Apache-2.0

// The common part of both backends: one link, from creation to the returned bytes.
#pragma once

#include <string>
#include <vector>

#include "linker/backends/translate.h"
#include "linker/inputs/check.h"

namespace anycuda::linker {

struct Logs {
  std::string info;
  std::string error;
};

// When these return or throw (LinkError, BackendError, OptionError), the backend's link state is
// destroyed. `logs` is filled on every path. The result is checked to be of the type `output`.
std::string link_with_nvjitlink(const std::vector<Item>& items, std::vector<std::string> options,
                                Version version, Output output, Logs* logs);
std::string link_with_driver(const std::vector<Item>& items,
                             const std::vector<DriverOption>& options, std::size_t log_bytes,
                             Logs* logs);

// A call of the backend, and the message of a LinkError about it: "nvJitLinkComplete failed: ...",
// what was linked, how, and the log.
struct Failure {
  std::string call;
  std::string result;
  int number;
  std::string hint{};  // "\n  what to do: ...", or ""
};
LinkError link_error(const Failure& failure, const std::vector<Item>& items,
                     const std::vector<std::string>& options, const Logs& logs);

// Removes the zero bytes at the end of PTX. Throws LinkError for a result that is not `output`.
std::string checked_output(std::string bytes, Output output, const char* call,
                           const std::vector<Item>& items, const std::vector<std::string>& options,
                           const Logs& logs);

}  // namespace anycuda::linker
