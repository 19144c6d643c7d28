// SPDX-License-Identifier: Apache-2.0

// Identifies the library that an ELF image is, by its SONAME and version definitions: pure
// functions, for files on disk and for loaded objects alike.
#pragma once

#include "compat/descriptor/library.h"
#include "compat/search/elf/image_facts.h"

namespace anycuda {

// The symbol version that every anycuda stub defines, and no other library.
constexpr char kStubSymbolVersion[] = "ANYCUDA_NATIVE";

// The CUDA major of a library that needs a library of that name, if majors in the name are CUDA's;
// 0 for any other name.
int major_of_needed(const char* name);
// The same, only for the CUDA runtime.
int major_of_runtime(const char* name);

// Gathers the names that an image calls itself by.
class Classifier {
 public:
  explicit Classifier(const LibraryDescriptor& library) : library_(library) {}

  void soname(const char* name);
  void version_definition(const char* name) {
    // Most names in a process are libc's.
    if (*name == *kStubSymbolVersion || *name == *library_.file_prefix) compare(name);
  }

  // A library that it needs; of interest where its SONAME is of several majors, or where it has
  // relatives.
  bool wants_needed() const;
  void needed(const char* name) {
    if (const int major = major_of_needed(name)) by_needed_ = major;
    if (const int major = major_of_runtime(name)) needs_runtime_ = major;
  }

  // 0 if nothing says that it is this library. The first major of its SONAME.
  int major() const { return by_symbol_version_ != 0 ? by_symbol_version_ : by_soname_; }
  bool is_stub() const { return stub_; }
  // The known facts about its release: the majors of its SONAME, or the one of a library it needs.
  void put_into(ImageFacts* facts) const;

 private:
  void compare(const char* name);

  const LibraryDescriptor& library_;
  int by_symbol_version_ = 0;
  int by_soname_ = 0;
  int by_needed_ = 0;
  int needs_runtime_ = 0;
  bool stub_ = false;
  bool is_earlier_ = false;
};

// Major of a name like libcudart.so.12 or, for majors the database does not know, libcudart.so.14;
// 0 for anything else.
int major_of_soname(const LibraryDescriptor& library, const char* name);

// Is this one of the names that programs ask for the library by?
bool is_soname(const LibraryDescriptor& library, const char* name);

}  // namespace anycuda
