// Whose library an ELF image is, told from its SONAME and version definitions: pure functions,
// used for files on disk and for what the process has loaded alike.
#pragma once

#include "compat/descriptor/library.h"

namespace anycuda {

// The symbol version that every anycuda stub defines, and no other library.
constexpr char kStubSymbolVersion[] = "ANYCUDA_NATIVE";

// Gathers the names that an image calls itself by.
class Classifier {
 public:
  explicit Classifier(const LibraryDescriptor& library) : library_(library) {}

  void soname(const char* name);
  void version_definition(const char* name) {
    // Most names in a process are libc's.
    if (*name == *kStubSymbolVersion || *name == *library_.file_prefix) compare(name);
  }

  // 0 if nothing says that it is this library.
  int major() const { return by_symbol_version_ != 0 ? by_symbol_version_ : by_soname_; }
  bool is_stub() const { return stub_; }

 private:
  void compare(const char* name);

  const LibraryDescriptor& library_;
  int by_symbol_version_ = 0;
  int by_soname_ = 0;
  bool stub_ = false;
};

// Major of a name like libcudart.so.12 or, for majors the database does not know, libcudart.so.14;
// 0 for anything else.
int major_of_soname(const LibraryDescriptor& library, const char* name);

// Is this one of the names that programs ask for the library by?
bool is_soname(const LibraryDescriptor& library, const char* name);

}  // namespace anycuda
