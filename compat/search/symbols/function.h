// SPDX-License-Identifier: Apache-2.0

// Functions of a loaded library, found without the dynamic linker. dlsym() waits while another
// thread runs the constructors of what it loads, and every function of <dlfcn.h> drops the message
// that the program's next dlerror() would give. A program that is linked with the library sees
// neither. And dlsym() may be a preloaded library's (limiters of GPU memory): it returns functions
// that call the driver under its name, which can be a stub's.
#pragma once

#include <link.h>

#include <cstdint>

namespace anycuda {

// The functions of a loaded library.
class Functions {
 public:
  // `handle`: what dlopen() gave for it.
  explicit Functions(void* handle);
  // The function of that name that the library defines; nullptr: it defines none.
  void* find(const char* name) const;

 private:
  void* handle_;
  // The tables that lead from a name to an address.
  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  const std::uint32_t* gnu_hash_ = nullptr;
  const std::uint32_t* hash_ = nullptr;  // NVRTC before 12.8 has only this one

  bool is_named(std::uint32_t symbol, const char* name) const;
  std::uint32_t find_by_gnu_hash(const char* name) const;
  std::uint32_t find_one_by_one(const char* name) const;
};

inline void* find_function(void* handle, const char* name) { return Functions(handle).find(name); }

}  // namespace anycuda
