// SPDX-License-Identifier: Apache-2.0

// A cubin: an ELF file for a GPU.
#pragma once

#include "device_code/entry.h"

namespace anycuda::device_code {

constexpr std::size_t kCubinHeader = 64;

// With its whole header.
bool is_cubin(Bytes file);

struct CubinHeader {
  std::uint32_t architecture = 0;
  char target = 0;
  Version toolkit;         // not known where a note has it
  std::uint64_t size = 0;  // at least that of the header
};
CubinHeader read_cubin_header(Bytes file);

// The CUDA whose ptxas or nvlink made it, from the note that cubins have since CUDA 12.8;
// `beginning` is as much of the cubin as there is.
Version toolkit_of_note(Bytes beginning);

// Its target where the note has it: 'a' of "-arch sm_100a".
char target_of_note(Bytes beginning);

}  // namespace anycuda::device_code
