// SPDX-License-Identifier: Apache-2.0

// The inputs of the topics: a kernel that calls a function of another module, in every form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anycuda/linker/linker.h"
#include "anycuda/linker/program.h"
#include "common/device.h"

namespace gputest {

using namespace anycuda::linker;  // NOLINT: every line of every topic is about it
using anycuda::Linker;
using anycuda::Program;

// Both modules, compiled by NVRTC, once: the kernel `run` writes 2 * i + 1 into out[i]; `twice` is
// in the second module.
struct Code {
  std::string kernel;
  std::string helper;
};
const Code& code(InputType type);  // ptx, cubin, lto_ir
// Both as inputs.
std::vector<Input> both(InputType kernel, InputType helper);
std::vector<Input> both(InputType type);

// Loads the image, launches its kernel and looks at the numbers.
void runs(Check& check, const std::string& image);

// What nvcc made of the helper when the bundle was built, "" if it is not in this bundle; and why.
std::string nvcc_made(const std::string& file);

// The linkers that are here.
struct Way {
  const char* name;
  std::optional<Backend> backend;  // forced, or chosen by the rule
};
const std::vector<Way>& ways();
Options options_for(const Way& way);
// Whether LTO-IR can be linked, and PTX that comes of it be loaded.
bool has_nvjitlink();

}  // namespace gputest
