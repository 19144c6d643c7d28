// SPDX-License-Identifier: Apache-2.0

// Writes the bytes of a small ELF shared library, valid or broken on request. It has only what a
// dynamic linker reads: program headers, dynamic section, strings, symbols, hash table, version
// definitions; no code, no sections.
#pragma once

#include <elf.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace anycuda::unit {

#if defined(__aarch64__)
constexpr std::uint16_t kThisCpu = EM_AARCH64, kOtherCpu = EM_X86_64;
#else
constexpr std::uint16_t kThisCpu = EM_X86_64, kOtherCpu = EM_AARCH64;
#endif

enum class Hash { none, sysv, gnu, both };
inline void PrintTo(Hash hash, std::ostream* out) {
  const char* const tables[] = {"no table", "DT_HASH", "DT_GNU_HASH", "both tables"};
  *out << tables[static_cast<int>(hash)];
}

struct ElfImage {
  std::string soname = "libtest.so.12";
  std::vector<std::string> symbol_versions = {"libtest.so.12"};
  std::vector<std::string> exports = {"testCore"};
  std::vector<std::string> imports;  // undefined symbols
  bool needs_itself = false;         // a DT_NEEDED that names its own SONAME
  Hash hash = Hash::gnu;

  // What a broken file says instead of the truth; applied when the bytes are made.
  struct Lies {
    std::uint16_t machine = kThisCpu;
    std::uint16_t type = ET_DYN;
    unsigned char elf_class = ELFCLASS64;
    bool no_dynamic = false;
    bool no_string_table = false;
    bool open_strings = false;       // the last string has no end
    bool no_terminator = false;      // the dynamic section has no DT_NULL
    std::int64_t symbol_table = -1;  // address; -1: the true one
    std::int64_t string_size = -1;
    std::int64_t soname_offset = -1;
    std::int64_t hash_symbols = -1;  // symbols that DT_HASH counts
    std::int64_t gnu_bucket = -1;    // first symbol of the one bucket
    std::int64_t version_count = -1;
    std::int64_t version_next = -1;           // vd_next of every definition
    std::int64_t load_size = -1;              // bytes of the file that the loaded segment claims
    std::int64_t headers_at = -1;             // e_phoff
    std::int64_t header_count = -1;           // e_phnum
    std::uint32_t file_version = EV_CURRENT;  // of the ELF format; ld.so refuses any other
    bool split = false;  // two segments, the symbol table at the very start of the second
  } lies;

  std::string bytes() const;
};

}  // namespace anycuda::unit
