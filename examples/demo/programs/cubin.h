// SPDX-License-Identifier: Apache-2.0

// Looks into a CUBIN, which is an ELF file for the GPU, without any CUDA tool.
#pragma once

#include <elf.h>
#include <string.h>

#include <string>
#include <vector>

namespace cubin {

constexpr int cuda_machine = 190;  // EM_CUDA

// "CUBIN with NAME and NAME" if `image` is an ELF file for the GPU that defines every name; else
// what is wrong with it.
inline std::string describe(const std::vector<char>& image, const std::vector<std::string>& names) {
  Elf64_Ehdr header;
  if (image.size() < sizeof header) return "too short for an ELF file";
  memcpy(&header, image.data(), sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "not an ELF file";
  if (header.e_machine != cuda_machine) {
    return "an ELF file for machine " + std::to_string(header.e_machine) + ", not for the GPU";
  }
  auto section_at = [&](size_t index, Elf64_Shdr& section) {
    const size_t at = header.e_shoff + index * sizeof section;
    if (index >= header.e_shnum || at + sizeof section > image.size()) return false;
    memcpy(&section, image.data() + at, sizeof section);
    return section.sh_type == SHT_NOBITS || section.sh_offset + section.sh_size <= image.size();
  };
  std::string found;
  for (const std::string& name : names) {
    bool defined = false;
    for (size_t i = 0; i < header.e_shnum && !defined; ++i) {
      Elf64_Shdr table, strings;
      if (!section_at(i, table) || table.sh_type != SHT_SYMTAB) continue;
      if (!section_at(table.sh_link, strings)) continue;
      for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, image.data() + table.sh_offset + at, sizeof symbol);
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings.sh_size) continue;
        const char* text = image.data() + strings.sh_offset + symbol.st_name;
        const size_t room = strings.sh_size - symbol.st_name;
        if (strnlen(text, room) == name.size() && name == std::string(text, name.size())) {
          defined = true;
          break;
        }
      }
    }
    if (!defined) return "a CUBIN without " + name;
    found += (found.empty() ? "CUBIN with " : " and ") + name;
  }
  return found;
}

}  // namespace cubin
