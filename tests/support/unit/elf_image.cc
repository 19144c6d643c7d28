// SPDX-License-Identifier: Apache-2.0
#include "tests/support/unit/elf_image.h"

#include <cstring>

namespace anycuda::unit {
namespace {

// Grows the image; an address in it is an offset in the file.
class Writer {
 public:
  template <typename Record>
  std::uint64_t put(const Record& record) {
    return put(&record, sizeof record);
  }
  std::uint64_t put(const void* data, std::size_t size) {
    const std::uint64_t at = align(8);
    bytes_.append(static_cast<const char*>(data), size);
    return at;
  }
  std::uint64_t align(std::size_t to) {
    while (bytes_.size() % to != 0) bytes_ += '\0';
    return bytes_.size();
  }
  template <typename Record>
  void patch(std::uint64_t at, const Record& record) {
    std::memcpy(&bytes_[at], &record, sizeof record);
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

struct Strings {
  std::string text{'\0'};
  std::uint32_t add(const std::string& name) {
    const auto at = static_cast<std::uint32_t>(text.size());
    text += name + '\0';
    return at;
  }
};

std::uint32_t gnu_hash(const std::string& name) {
  std::uint32_t hash = 5381;
  for (const unsigned char c : name) hash = hash * 33 + c;
  return hash;
}

std::uint64_t or_lie(std::int64_t lie, std::uint64_t truth) {
  return lie < 0 ? truth : static_cast<std::uint64_t>(lie);
}

std::uint64_t put_sysv_hash(Writer& out, const ElfImage& image, std::uint32_t symbols) {
  const auto count = static_cast<std::uint32_t>(or_lie(image.lies.hash_symbols, symbols));
  std::vector<std::uint32_t> table = {1, count, 0};
  table.resize(table.size() + symbols);
  return out.put(table.data(), table.size() * 4);
}

// One bucket that all exports are in.
std::uint64_t put_gnu_hash(Writer& out, const ElfImage& image, std::uint32_t first) {
  const std::uint32_t header[] = {1, first, 1, 0};
  const std::uint64_t at = out.put(header);
  out.put(~std::uint64_t{0});  // the bloom filter lets everything through
  const bool any = !image.exports.empty();
  std::vector<std::uint32_t> rest = {
      static_cast<std::uint32_t>(or_lie(image.lies.gnu_bucket, any ? first : 0))};
  for (std::size_t i = 0; i < image.exports.size(); ++i) {
    const bool last = i + 1 == image.exports.size();
    rest.push_back((gnu_hash(image.exports[i]) & ~1U) | (last ? 1 : 0));
  }
  out.put(rest.data(), rest.size() * 4);
  return at;
}

std::uint64_t put_versions(Writer& out, const ElfImage& image, Strings& strings) {
  std::uint64_t first = 0;
  std::vector<std::string> names = {image.soname};
  names.insert(names.end(), image.symbol_versions.begin(), image.symbol_versions.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    Elf64_Verdef definition{};
    definition.vd_version = 1;
    definition.vd_flags = i == 0 ? VER_FLG_BASE : 0;
    definition.vd_ndx = static_cast<std::uint16_t>(i + 1);
    definition.vd_cnt = 1;
    definition.vd_aux = 24;  // a definition is 20 bytes, the next record starts aligned to 8
    definition.vd_next = i + 1 == names.size() ? 0 : 32;
    if (image.lies.version_next >= 0) {
      definition.vd_next = static_cast<std::uint32_t>(image.lies.version_next);
    }
    const std::uint64_t at = out.put(definition);
    if (i == 0) first = at;
    Elf64_Verdaux name{};
    name.vda_name = strings.add(names[i]);
    out.put(name);
  }
  return first;
}

std::uint64_t put_symbols(Writer& out, const ElfImage& image, Strings& strings) {
  std::vector<Elf64_Sym> symbols(1);
  for (const std::string& name : image.imports) {
    Elf64_Sym symbol{};
    symbol.st_name = strings.add(name);
    symbols.push_back(symbol);
  }
  for (const std::string& name : image.exports) {
    Elf64_Sym symbol{};
    symbol.st_name = strings.add(name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbols.push_back(symbol);
  }
  if (image.lies.split) out.align(0x1000);
  return out.put(symbols.data(), symbols.size() * sizeof(Elf64_Sym));
}

struct Places {
  std::uint64_t symbols, hash = 0, gnu_hash = 0, versions = 0, strings;
};

std::uint64_t put_dynamic(Writer& out, const ElfImage& image, const Places& places,
                          std::uint64_t soname, std::uint64_t string_size, std::size_t* size) {
  std::vector<Elf64_Dyn> entries;
  const auto add = [&](std::int64_t tag, std::uint64_t value) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    entries.push_back(entry);
  };
  if (!image.soname.empty()) add(DT_SONAME, or_lie(image.lies.soname_offset, soname));
  if (image.needs_itself) add(DT_NEEDED, soname);
  if (!image.lies.no_string_table) add(DT_STRTAB, places.strings);
  add(DT_STRSZ, or_lie(image.lies.string_size, string_size));
  add(DT_SYMTAB, or_lie(image.lies.symbol_table, places.symbols));
  add(DT_SYMENT, sizeof(Elf64_Sym));
  if (places.hash != 0) add(DT_HASH, places.hash);
  if (places.gnu_hash != 0) add(DT_GNU_HASH, places.gnu_hash);
  if (places.versions != 0) {
    add(DT_VERDEF, places.versions);
    add(DT_VERDEFNUM, or_lie(image.lies.version_count, image.symbol_versions.size() + 1));
  }
  if (!image.lies.no_terminator) add(DT_NULL, 0);
  *size = entries.size() * sizeof(Elf64_Dyn);
  return out.put(entries.data(), *size);
}

Elf64_Phdr segment(std::uint32_t type, std::uint64_t at, std::uint64_t size) {
  Elf64_Phdr header{};
  header.p_type = type;
  header.p_flags = PF_R;
  header.p_offset = header.p_vaddr = header.p_paddr = at;
  header.p_filesz = header.p_memsz = size;
  header.p_align = type == PT_LOAD ? 0x1000 : 8;
  return header;
}

}  // namespace

std::string ElfImage::bytes() const {
  Writer out;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = lies.elf_class;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = lies.type;
  header.e_machine = lies.machine;
  header.e_version = lies.file_version;
  header.e_phoff = or_lie(lies.headers_at, sizeof header);
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  out.put(header);
  const std::uint64_t segments_at =
      out.put(std::string(3 * sizeof(Elf64_Phdr), '\0').data(), 3 * sizeof(Elf64_Phdr));
  Strings strings;
  const std::uint64_t soname_at = strings.add(soname);
  const auto undefined = static_cast<std::uint32_t>(1 + imports.size());
  const auto symbol_count = static_cast<std::uint32_t>(undefined + exports.size());
  Places places{};
  if (hash == Hash::sysv || hash == Hash::both)
    places.hash = put_sysv_hash(out, *this, symbol_count);
  if (hash == Hash::gnu || hash == Hash::both)
    places.gnu_hash = put_gnu_hash(out, *this, undefined);
  if (!symbol_versions.empty()) places.versions = put_versions(out, *this, strings);
  places.symbols = put_symbols(out, *this, strings);
  // What `open_strings` cuts off is the end of the last export's name.
  if (lies.open_strings) strings.text.pop_back();
  places.strings = out.put(strings.text.data(), strings.text.size());
  std::size_t dynamic_size = 0;
  const std::uint64_t dynamic_at =
      put_dynamic(out, *this, places, soname_at, strings.text.size(), &dynamic_size);

  std::vector<Elf64_Phdr> segments;
  const std::uint64_t cut = lies.split ? places.symbols : out.bytes().size();
  segments.push_back(segment(PT_LOAD, 0, or_lie(lies.load_size, cut)));
  if (lies.split) {
    segments.push_back(segment(PT_LOAD, cut, out.bytes().size() - cut));
  }
  if (!lies.no_dynamic) segments.push_back(segment(PT_DYNAMIC, dynamic_at, dynamic_size));
  for (std::size_t i = 0; i < segments.size(); ++i) {
    out.patch(segments_at + i * sizeof(Elf64_Phdr), segments[i]);
  }
  header.e_phnum = static_cast<std::uint16_t>(or_lie(lies.header_count, segments.size()));
  out.patch(0, header);
  return out.bytes();
}

}  // namespace anycuda::unit
