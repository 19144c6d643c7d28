// SPDX-License-Identifier: Apache-2.0

// The CUDA of the computer that runs the tests, which a Machine must not see.
#pragma once

#include <string>

namespace anycuda::test {

// True if a program on this computer gets one of CUDA's libraries, the driver's included, by a
// plain dlopen("libcuda.so.1").
bool computer_has_cuda();

// Version of the NVIDIA driver that this computer's kernel runs, "580.159.04"; empty if none.
// A driver library of any other version then answers 803 (driver mismatch) where it would have
// answered 100 (no device). Nothing can hide the kernel's driver from it, so tests must know.
std::string running_driver();

}  // namespace anycuda::test
