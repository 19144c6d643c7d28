#include "device_code/host_elf.h"

#include <elf.h>

namespace anycuda::device_code {
namespace {

constexpr const char* kFatbinSections[] = {".nv_fatbin", "__nv_relfatbin"};

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
  bool is_fatbin(const Elf64_Shdr& section) const {
    const Bytes name = names.from(section.sh_name);
    for (const char* wanted : kFatbinSections) {
      if (name.begins_with(wanted, std::strlen(wanted) + 1)) return true;
    }
    return false;
  }
};

// More than 65,279 sections: the first one's header has their number, and the names' index.
Sections sections_of(Bytes file, const Elf64_Ehdr& header) {
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

bool is_data(const Elf64_Shdr& section) {
  return section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_ALLOC) != 0 &&
         (section.sh_flags & (SHF_EXECINSTR | SHF_COMPRESSED)) == 0;
}

}  // namespace

bool is_elf(Bytes file) { return file.begins_with(ELFMAG, SELFMAG); }

void read_host_elf(Bytes file, RegionReader* reader) {
  Elf64_Ehdr header;
  if (!file.read(0, &header)) return reader->problem("an ELF file is truncated", file);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shentsize != sizeof(Elf64_Shdr)) {
    if (header.e_shoff != 0) {
      return reader->problem("an ELF file is not of a 64-bit little-endian CPU", file);
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
    const bool fatbin = sections.is_fatbin(section);
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
