// SPDX-License-Identifier: Apache-2.0
#include "elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <stdexcept>

namespace anycuda::test {
namespace {

// The bytes of a file; every read is checked, because broken files are among what the tests look
// at.
class Bytes {
 public:
  // Mapped and not read: NVRTC has 100 MB, of which the tables are a few hundred kilobytes.
  explicit Bytes(const std::filesystem::path& file) : file_(file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) fail("cannot be read");
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (data_ == MAP_FAILED) fail("cannot be mapped");
  }
  ~Bytes() {
    if (size_ > 0) munmap(data_, size_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  template <class T>
  T at(std::uint64_t offset) const {
    if (offset > size_ || size_ - offset < sizeof(T)) fail("ends too early");
    T value;
    memcpy(&value, content() + offset, sizeof value);
    return value;
  }

  std::string text(const Elf64_Shdr& strings, std::uint64_t offset) const {
    if (offset >= strings.sh_size || strings.sh_offset > size_ ||
        strings.sh_size > size_ - strings.sh_offset) {
      fail("has a name outside its string table");
    }
    const char* begin = content() + strings.sh_offset + offset;
    return std::string(begin, strnlen(begin, strings.sh_size - offset));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error("ELF file " + file_.string() + " " + problem);
  }

 private:
  const char* content() const { return static_cast<const char*>(data_); }

  std::filesystem::path file_;
  std::size_t size_ = 0;
  void* data_ = nullptr;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : bytes_(file) {}

  ElfFile read() {
    const auto header = bytes_.at<Elf64_Ehdr>(0);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) bytes_.fail("is not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
      bytes_.fail("is not 64-bit little-endian");
    }
    result_.type = header.e_type;
    result_.machine = header.e_machine;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(bytes_.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    // Versions first: the symbols refer to them.
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_DYNAMIC) read_dynamic(section);
      if (section.sh_type == SHT_GNU_verdef) read_definitions(section);
      if (section.sh_type == SHT_GNU_verneed) read_needs(section);
      if (section.sh_type == SHT_GNU_versym) versions_ = &section;
    }
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_DYNSYM) read_symbols(section);
    }
    return result_;
  }

 private:
  const Elf64_Shdr& strings_of(const Elf64_Shdr& section) const {
    if (section.sh_link >= sections_.size()) bytes_.fail("links to a section it does not have");
    return sections_[section.sh_link];
  }

  void read_dynamic(const Elf64_Shdr& section) {
    const Elf64_Shdr& strings = strings_of(section);
    std::string rpath;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.sh_size; at += sizeof(Elf64_Dyn)) {
      const auto entry = bytes_.at<Elf64_Dyn>(section.sh_offset + at);
      if (entry.d_tag == DT_NULL) break;
      const auto text = [&] { return bytes_.text(strings, entry.d_un.d_val); };
      if (entry.d_tag == DT_SONAME) result_.soname = text();
      if (entry.d_tag == DT_NEEDED) result_.needed.push_back(text());
      if (entry.d_tag == DT_RUNPATH) result_.runpath = text();
      if (entry.d_tag == DT_RPATH) rpath = text();
    }
    if (result_.runpath.empty()) result_.runpath = rpath;
  }

  void read_definitions(const Elf64_Shdr& section) {
    std::uint64_t at = section.sh_offset;
    for (;;) {
      const auto definition = bytes_.at<Elf64_Verdef>(at);
      const auto name = bytes_.at<Elf64_Verdaux>(at + definition.vd_aux);
      const std::string text = bytes_.text(strings_of(section), name.vda_name);
      // The base definition names the file, not a version.
      if ((definition.vd_flags & VER_FLG_BASE) == 0) {
        result_.version_definitions.push_back(text);
        version_names_[definition.vd_ndx] = text;
      }
      if (definition.vd_next == 0) return;
      at += definition.vd_next;
    }
  }

  void read_needs(const Elf64_Shdr& section) {
    std::uint64_t at = section.sh_offset;
    for (;;) {
      const auto need = bytes_.at<Elf64_Verneed>(at);
      const std::string library = bytes_.text(strings_of(section), need.vn_file);
      std::uint64_t entry_at = at + need.vn_aux;
      for (unsigned i = 0; i < need.vn_cnt; ++i) {
        const auto entry = bytes_.at<Elf64_Vernaux>(entry_at);
        const std::string version = bytes_.text(strings_of(section), entry.vna_name);
        result_.version_needs.emplace_back(library, version);
        version_names_[entry.vna_other] = version;
        entry_at += entry.vna_next;
      }
      if (need.vn_next == 0) return;
      at += need.vn_next;
    }
  }

  void read_symbols(const Elf64_Shdr& section) {
    const std::uint64_t count = section.sh_size / sizeof(Elf64_Sym);
    for (std::uint64_t i = 1; i < count; ++i) {  // symbol 0 is reserved
      const auto raw = bytes_.at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
      ElfSymbol symbol;
      symbol.name = bytes_.text(strings_of(section), raw.st_name);
      symbol.is_function = ELF64_ST_TYPE(raw.st_info) == STT_FUNC;
      symbol.is_weak = ELF64_ST_BIND(raw.st_info) == STB_WEAK;
      if (versions_ != nullptr) {
        const auto version = bytes_.at<Elf64_Half>(versions_->sh_offset + i * sizeof(Elf64_Half));
        const auto name = version_names_.find(version & 0x7fff);
        if (name != version_names_.end()) symbol.version = name->second;
        symbol.is_default = !symbol.version.empty() && (version & 0x8000) == 0;
      }
      if (raw.st_shndx == SHN_UNDEF) {
        result_.imports.push_back(symbol);
        continue;
      }
      // The linker adds one absolute symbol for each version, named like it: not something one
      // could call.
      if (raw.st_shndx == SHN_ABS && symbol.name == symbol.version) continue;
      if (ELF64_ST_BIND(raw.st_info) != STB_LOCAL) result_.exports.push_back(symbol);
    }
  }

  Bytes bytes_;
  ElfFile result_;
  std::vector<Elf64_Shdr> sections_;
  const Elf64_Shdr* versions_ = nullptr;
  std::map<unsigned, std::string> version_names_;
};

}  // namespace

ElfFile ElfFile::read(const std::filesystem::path& file) { return Reader(file).read(); }

std::set<std::string> ElfFile::exported_names() const {
  std::set<std::string> names;
  for (const ElfSymbol& symbol : exports) names.insert(symbol.name);
  return names;
}

std::set<std::string> ElfFile::exported_versioned_names() const {
  std::set<std::string> names;
  for (const ElfSymbol& symbol : exports) names.insert(symbol.name + "@" + symbol.version);
  return names;
}

}  // namespace anycuda::test
