// Functions of a loaded library, found without the dynamic linker. dlsym() waits while another
// thread runs the constructors of what it loads, and every function of <dlfcn.h> drops the message
// that the program's next dlerror() would give. A program that is linked with the library sees
// neither.
#pragma once

#include <atomic>
#include <cstdint>

namespace anycuda {

// The library's own function of that name; nullptr: it defines none.
void* find_function(void* handle, const char* name);

// What is kept of a name that the library does not have: neither nullptr, "not looked up yet", nor
// an address.
inline constexpr std::uintptr_t kNoFunction = 1;
inline bool is_function(const void* kept) {
  return reinterpret_cast<std::uintptr_t>(kept) > kNoFunction;
}

// The same, looked up once. Before a library is open nothing is kept.
void* loaded_function(std::atomic<void*>* kept, void* handle, const char* name);

}  // namespace anycuda
