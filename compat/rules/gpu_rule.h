// SPDX-License-Identifier: Apache-2.0

// Has a CUDA code for the machine's GPUs? A pure function of plain values: no file, no environment,
// no allocation; safe from any thread.
//
// Sources: the libraries' own code, as cuobjdump lists it: cuRAND, cuSPARSE and cuBLAS of 12.9
// begin with sm_50, those of 13.5 with sm_75. CUDA Toolkit 12.0 Release Notes and 13.0 Release
// Notes: what each dropped. NVIDIA's Unix driver archive: branch 580, of CUDA 13.0, is the last for
// GPUs before 7.5, and 470, of CUDA 11.4, the last for those before 5.0.
#pragma once

#include "anycuda/compat/driver.h"

namespace anycuda {

// The oldest GPU that the libraries and compilers of a CUDA major have code for, as 10 times its
// compute capability: 75 for 7.5. 0: not known.
constexpr int oldest_gpu_of(int cuda_major) {
  return cuda_major == 13 ? 75 : cuda_major == 12 ? 50 : cuda_major == 11 ? 35 : 0;
}

// `oldest`: of the machine's GPUs; 0: not known, and then every CUDA is accepted.
constexpr bool has_code_for(int oldest, int cuda_major) {
  return oldest == 0 || oldest_gpu_of(cuda_major) <= oldest;
}

// May a machine with that driver have a GPU that one of the two majors has no code for, and the
// other has? Only then the machine's GPUs are queried, since the query starts NVML.
constexpr bool gpus_decide(const DriverFacts& driver, int major, int other) {
  const bool runs_old_ones = driver.present && driver.cuda.major == 13 && driver.cuda.minor == 0;
  return runs_old_ones && (oldest_gpu_of(major) == 75) != (oldest_gpu_of(other) == 75);
}

}  // namespace anycuda
