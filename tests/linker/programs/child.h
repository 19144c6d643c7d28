// SPDX-License-Identifier: Apache-2.0

// The program that the tests of the Linker run on a separate machine, with a few commands.
// Each writes lines to stdout; what it writes to stderr was written by the libraries.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "anycuda/linker/linker.h"
#include "anycuda/linker/program.h"

namespace child {

using namespace anycuda::linker;
using anycuda::Linker;
using anycuda::Program;
using Arguments = std::vector<std::string>;

std::string read(const std::string& path);
void write(const std::string& path, const std::string& bytes);
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// "LinkError", by type; "" for no error. `what` gets the message.
std::string error_of(const std::function<void()>& action, std::string* what = nullptr);

// The two modules of tests/linker/inputs, as NVRTC made them: kernel.ptx, helper.ptx, or .ltoir.
std::vector<Input> modules(const std::string& folder, InputType type);
// For sm_80, with lto for LTO-IR.
Options options_for(InputType type);

// What is to be done, by its name.
int rows(const Arguments& arguments);
int outputs(const Arguments& arguments);
int containers(const Arguments& arguments);
int options(const Arguments& arguments);
int faults(const Arguments& arguments);
int life(const Arguments& arguments);
int probes(const Arguments& arguments);
int programs(const Arguments& arguments);
int headers(const Arguments& arguments);
int library(const Arguments& arguments);
int driver(const Arguments& arguments);
int cache(const Arguments& arguments);
int no_memory(const Arguments& arguments);

}  // namespace child
