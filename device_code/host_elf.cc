// SPDX-License-Identifier: Apache-2.0
#include "device_code/host_elf.h"

#include "device_code/sections.h"

namespace anycuda::device_code {
namespace {

bool is_fatbin(const Sections& sections, const Elf64_Shdr& section) {
  return sections.has_name(section, kWholeSection) ||
         sections.has_name(section, kRelocatableSection);
}

bool is_data(const Elf64_Shdr& section) {
  return section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_ALLOC) != 0 &&
         (section.sh_flags & (SHF_EXECINSTR | SHF_COMPRESSED)) == 0;
}

}  // namespace

bool is_elf(Bytes file) { return file.begins_with(ELFMAG, SELFMAG); }

void read_host_elf(Bytes file, RegionReader* reader) {
  Elf64_Ehdr header;
  if (!file.read(0, &header)) return reader->problem("an ELF file is truncated", file);
  if (!has_our_sections(header)) {
    if (header.e_shoff != 0) {
      return reader->problem(
          "an ELF file is damaged, or not for a 64-bit little-endian CPU: its device code is not "
          "read",
          file);
    }
  }
  const Sections sections = sections_of(file, header);
  if (sections.count == 0) {  // stripped of its sections, or truncated
    if (header.e_shoff != 0) reader->problem("an ELF file lacks its section headers", file);
    return reader->search(file);
  }
  std::uint64_t left = file.size;  // sections that overlap could be endless
  for (std::uint64_t i = 0; i < sections.count; ++i) {
    Elf64_Shdr section;
    if (!sections.header(i, &section)) break;
    const bool fatbin = is_fatbin(sections, section);
    if (!fatbin && !is_data(section)) continue;
    const Bytes content = sections.content(section);
    if (content.size < section.sh_size && section.sh_type != SHT_NOBITS) {
      reader->problem("a section reaches past the end of its file",
                      content.size != 0 ? content : file);
    }
    if (content.size > left) return reader->problem("sections overlap", content);
    left -= content.size;
    if (fatbin) {
      reader->fatbins(content);
    } else {
      reader->search(content);
    }
  }
}

}  // namespace anycuda::device_code
