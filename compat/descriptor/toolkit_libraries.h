// SPDX-License-Identifier: Apache-2.0

// The libraries that a CUDA toolkit has: which of them an object is, and what their files are
// called in another CUDA. Made of stubs/*/library.json; without libraries that have releases of
// their own (cuDNN, NCCL).
#pragma once

#include <cstdint>

namespace anycuda {

// One library. The texts live for ever; "": it does not exist in that CUDA.
class ToolkitLibrary {
 public:
  // The first; ++ leads to the next, `valid` ends it.
  ToolkitLibrary();
  bool valid() const { return *row_ != '\0'; }
  ToolkitLibrary& operator++();

  std::uint32_t bit() const { return bit_; }  // of this library, in a set of them
  const char* wheel_folder() const { return part(1); }
  const char* soname(int cuda_major) const;  // behind its "lib"
  // Is this the SONAME of its stub, or of its drop-in?
  bool is_stub(const char* soname) const;
  // The only CUDA major in which this is its SONAME; 0: none, or several.
  int major_of(const char* soname) const;

 private:
  const char* part(int number) const;

  const char* row_;
  std::uint32_t bit_ = 1;
};

// Does a library of NVIDIA's toolkit have such a name? (Also others: "libcurses".)
bool is_named_like_cuda(const char* soname);
// The folder of the wheels with that SONAME, below site-packages; nullptr: not known, or it is the
// folder that CUDA 13 and later share.
const char* wheel_folder_of(const char* soname);
// The CUDA major that an object of that SONAME is of, as ToolkitLibrary::major_of().
int toolkit_major_of(const char* soname);
// The bit of the library whose stub has that SONAME; 0: no library has it.
std::uint32_t toolkit_bit_of_stub(const char* soname);

}  // namespace anycuda
