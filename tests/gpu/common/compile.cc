// SPDX-License-Identifier: Apache-2.0
#include "common/compile.h"

#include "anycuda/linker/program.h"
#include "common/device.h"

namespace gputest {

std::string compile_cubin(const char* source) {
  anycuda::linker::ProgramOptions options;
  options.arch = device_arch();
  anycuda::Program program(source, "kernels.cu", options);
  return program.compile(anycuda::linker::Output::cubin);
}

}  // namespace gputest
