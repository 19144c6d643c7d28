// SPDX-License-Identifier: Apache-2.0

// The sections of a 64-bit little-endian ELF file, of a host or of a GPU. It keeps no memory.
#pragma once

#include <elf.h>

#include "device_code/bytes.h"

namespace anycuda::device_code {

struct Sections {
  Bytes file;
  std::uint64_t at = 0;
  std::uint64_t count = 0;
  Bytes names;

  bool header(std::uint64_t index, Elf64_Shdr* section) const {
    return file.read(at + index * sizeof *section, section);
  }
  Bytes content(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? Bytes{} : file.part(section.sh_offset, section.sh_size);
  }
  bool has_name(const Elf64_Shdr& section, const char* name) const {
    return names.from(section.sh_name).begins_with(name, std::strlen(name) + 1);
  }
};

// None where the file lacks them. More than 65,279 sections: the first one's header has their
// number, and the names' index.
inline Sections sections_of(Bytes file, const Elf64_Ehdr& header) {
  Sections sections = {file, header.e_shoff, header.e_shnum, {}};
  Elf64_Shdr first;
  if (header.e_shoff == 0 || header.e_shoff > file.size || !sections.header(0, &first)) {
    return {};
  }
  if (sections.count == 0) sections.count = first.sh_size;
  const std::uint64_t most = (file.size - header.e_shoff) / sizeof first;
  if (sections.count > most) return {};
  Elf64_Shdr names;
  const std::uint64_t index =
      header.e_shstrndx == SHN_XINDEX ? std::uint64_t{first.sh_link} : header.e_shstrndx;
  if (index < sections.count && sections.header(index, &names)) {
    sections.names = sections.content(names);
  }
  return sections;
}

// Its sections can be read: they are of 64 bits and little-endian.
inline bool has_our_sections(const Elf64_Ehdr& header) {
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_shentsize == sizeof(Elf64_Shdr);
}

// Where nvcc puts device code into an object of the host: code to be linked (-rdc=true), and code
// of a whole program.
constexpr char kRelocatableSection[] = "__nv_relfatbin";
constexpr char kWholeSection[] = ".nv_fatbin";

}  // namespace anycuda::device_code
