// SPDX-License-Identifier: Apache-2.0

// The printed answers of a program of calls: steps.h of tests/integration/programs, calls.h of
// tests/maths/programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "process.h"

namespace anycuda::test {

// All lines, in order, and behind them what happened to a program that did not reach its end.
std::vector<std::string> answers(const ProcessResult& result);

// The lines "= name: values" of calls.h, by name.
using Answers = std::map<std::string, std::string>;
Answers answers_by_name(const ProcessResult& result);

// The first of a line's values, with the blank before it.
std::string status_of(const std::string& values);

}  // namespace anycuda::test
