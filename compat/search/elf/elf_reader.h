// SPDX-License-Identifier: Apache-2.0

// Reads an ELF shared library from its file, only with pread and with every offset checked: a
// broken file gives an answer, never a fault. This file knows ELF, not CUDA.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "compat/base/arena.h"
#include "compat/search/elf/image_facts.h"
#include "compat/search/symbols/export_table.h"

namespace anycuda {

// The calls of other libraries' functions that lazy binding leaves to the first call (DT_JMPREL).
struct LateCalls {
  const Elf64_Rela* relocations = nullptr;
  std::size_t count = 0;
  // The symbols that the file takes from other libraries, and the versions that it needs them in.
  const Elf64_Sym* symbols = nullptr;
  const Elf64_Half* versions = nullptr;
  std::uint32_t symbol_count = 0;
};

// Of a name like "ld-linux-x86-64.so.2".
inline bool is_linker(const char* name) { return std::strncmp(name, "ld-linux-", 9) == 0; }

class ElfReader {
 public:
  // Takes its memory from `arena`, which must outlive it.
  ElfReader(int descriptor, std::size_t size, Arena& arena)
      : descriptor_(descriptor), size_(size), arena_(arena) {}

  // Both before anything else, in this order; anything but `usable` ends the reading.
  FileState open();
  FileState read_dynamic();

  const char* soname() const { return string(value_of(DT_SONAME)); }
  // DT_RUNPATH, else DT_RPATH, "" without one. *is_rpath: it is a DT_RPATH.
  const char* run_path(bool* is_rpath) const;
  bool needs_libraries() const { return value_of(DT_NEEDED) != 0; }  // has a DT_NEEDED
  // Is each of them a part of libc? Also true without one.
  bool needs_only_libc() const;
  int error() const { return error_; }  // errno of a failed read, 0 if none failed

  // Calls visit(name) for every version that the library defines, its own name left out.
  template <typename Visit>
  void each_version_definition(Visit visit);
  // Calls visit(name) for every library that it needs.
  template <typename Visit>
  void each_needed(Visit visit) const {
    for (std::size_t i = 0; i < entry_count_ && entries_[i].d_tag != DT_NULL; ++i) {
      if (entries_[i].d_tag == DT_NEEDED) visit(string(entries_[i].d_un.d_val));
    }
  }
  // The exports, by DT_GNU_HASH; no bucket in it: the file has no such table, or a broken one.
  FileState read_exports(ExportTable* table);
  // And their names.
  FileState read_names(ExportTable* table);
  // False: the file has no such table, or a broken one.
  bool read_late_calls(LateCalls* calls);
  // Calls visit(library, version, hash, number) for every symbol version that the file needs:
  // `number` stands for it in LateCalls::versions.
  template <typename Visit>
  void each_version_need(Visit visit);
  // "" for a place outside the table; as many bytes are readable as HashedName needs.
  const char* name_of(const Elf64_Sym& symbol) const {
    return symbol.st_name < strings_size_ ? strings_ + symbol.st_name : "\0\0\0\0\0\0\0";
  }
  bool has_hashes() const { return gnu_hash_ != 0; }
  // Calls visit(name) for every symbol that the library defines. By DT_HASH: for files that have
  // no DT_GNU_HASH.
  template <typename Visit>
  FileState each_export(Visit visit);

 private:
  // Bytes of the file at an offset.
  bool read(std::size_t offset, void* into, std::size_t bytes);
  bool read_direct(std::size_t offset, void* into, std::size_t bytes);
  // What of the file is loaded from an address to its segment's end; no bytes: nothing.
  struct Stretch {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  Stretch stretch_at(Elf64_Addr address) const;
  const char* in_window(Elf64_Addr address, std::size_t bytes) const;
  // Bytes of the loaded image at an address.
  bool read_at(Elf64_Addr address, void* into, std::size_t bytes);
  const char* string(std::size_t offset) const {
    return offset < strings_size_ ? strings_ + offset : "";
  }
  Elf64_Addr next_version(Elf64_Addr address, const char** name);
  // The value of the dynamic section's entry with this tag, 0 if it has none.
  Elf64_Xword value_of(Elf64_Sxword tag) const;
  FileState read_symbols(const Elf64_Sym** symbols, std::size_t* count);
  // The bytes of the image at `address`, nullptr: *state says why.
  template <typename T>
  const T* read_table(Elf64_Addr address, std::size_t count, FileState* state);
  bool read_hashes(Elf64_Addr address, std::uint32_t last, GnuHashBuckets* buckets);

  static constexpr std::size_t kMaxVersions = 1024;

  int descriptor_;
  std::size_t size_;
  Arena& arena_;
  int error_ = 0;
  // Tables are read word by word; a window turns that into a few system calls. The first one has
  // the file's beginning, where most tables are.
  struct Window {
    char* bytes = nullptr;
    std::size_t start = 0;
    std::size_t size = 0;
    const char* at(std::size_t offset, std::size_t wanted) const {
      const bool inside = offset >= start && wanted <= size && offset - start <= size - wanted;
      return inside ? bytes + (offset - start) : nullptr;
    }
  };
  Window windows_[2];
  Elf64_Phdr* segments_ = nullptr;
  int segment_count_ = 0;
  const char* strings_ = nullptr;
  std::size_t strings_size_ = 0;
  const Elf64_Dyn* entries_ = nullptr;
  std::size_t entry_count_ = 0;
  Elf64_Addr gnu_hash_ = 0;
};

template <typename Visit>
void ElfReader::each_version_definition(Visit visit) {
  Elf64_Addr address = value_of(DT_VERDEF);
  const std::size_t count = std::min(value_of(DT_VERDEFNUM), kMaxVersions);
  for (std::size_t i = 0; address != 0 && i < count; ++i) {
    const char* name = nullptr;
    address = next_version(address, &name);
    if (name != nullptr) visit(name);
  }
}

template <typename Visit>
void ElfReader::each_version_need(Visit visit) {
  Elf64_Addr address = value_of(DT_VERNEED);
  std::size_t left = kMaxVersions;  // of all libraries: the lists of a broken file may be rings
  while (address != 0 && left-- != 0) {
    Elf64_Verneed library;
    if (!read_at(address, &library, sizeof library)) return;
    Elf64_Addr place = address + library.vn_aux;
    for (std::size_t i = 0; i < library.vn_cnt && left-- != 0; ++i) {
      Elf64_Vernaux version;
      if (!read_at(place, &version, sizeof version)) return;
      visit(string(library.vn_file), string(version.vna_name), version.vna_hash, version.vna_other);
      place += version.vna_next;
    }
    address = library.vn_next != 0 ? address + library.vn_next : 0;
  }
}

template <typename Visit>
FileState ElfReader::each_export(Visit visit) {
  const Elf64_Sym* symbols = nullptr;
  std::size_t count = 0;
  const FileState state = read_symbols(&symbols, &count);
  for (std::size_t i = 0; i < count; ++i) {
    if (symbols[i].st_shndx != SHN_UNDEF) visit(string(symbols[i].st_name));
  }
  return state;
}

}  // namespace anycuda
