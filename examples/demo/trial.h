// SPDX-License-Identifier: Apache-2.0

// One program on one machine: run it, read what it printed, compare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "facts.h"
#include "support/machine.h"

namespace anycuda::demo {

// Installs what the setup says, as pip would.
void install(const Setup& setup, test::Machine& machine);

struct Trial {
  Fields got;
  std::string err;  // what it printed to stderr
};
Trial run_on(const test::Machine& machine, const std::filesystem::path& program);

// "field: expected X, got Y", one for each field that is not as expected or not expected at all.
std::vector<std::string> differences(const Fields& expected, const Fields& got);

// The table's words for what happened.
std::string in_words(Program program, const Setup& setup, const Fields& got);

}  // namespace anycuda::demo
