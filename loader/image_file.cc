#include "loader/image_file.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "loader/identity.h"

namespace anycuda {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "anycuda supports Linux on x86_64 and aarch64"
#endif

// No table of a real CUDA library comes near these; a file that claims more is broken.
constexpr std::size_t kMaxStrings = std::size_t{8} << 20;
constexpr std::size_t kMaxSymbols = std::size_t{1} << 18;
constexpr int kMaxSegments = 256;
constexpr int kMaxDynamic = 4096;
constexpr int kMaxVersions = 1024;

class Image {
 public:
  Image(int descriptor, std::size_t size, Arena& arena)
      : descriptor_(descriptor), size_(size), arena_(arena) {}

  FileState open();
  FileState read_dynamic();
  const char* soname() const { return string(soname_); }
  const char* string(std::size_t offset) const {
    return offset < strings_size_ ? strings_ + offset : "";
  }
  template <typename Visit>
  void each_version_definition(Visit visit) const;
  // Calls visit(name) for every symbol that the image defines.
  template <typename Visit>
  FileState each_export(Visit visit);
  int error() const { return error_; }

 private:
  bool read(std::size_t offset, void* into, std::size_t bytes) {
    if (offset > size_ || bytes > size_ - offset) return false;
    auto* place = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t got = pread(descriptor_, place, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        error_ = got < 0 ? errno : 0;
        return false;
      }
      place += got;
      offset += static_cast<std::size_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  // Reads from an address of the loaded image.
  bool read_at(Elf64_Addr address, void* into, std::size_t bytes) const {
    for (int i = 0; i < segment_count_; ++i) {
      const Elf64_Phdr& s = segments_[i];
      if (s.p_type != PT_LOAD || address < s.p_vaddr || address - s.p_vaddr > s.p_filesz) continue;
      const Elf64_Addr inside = address - s.p_vaddr;
      if (bytes > s.p_filesz - inside) return false;
      return const_cast<Image*>(this)->read(s.p_offset + inside, into, bytes);
    }
    return false;
  }
  std::size_t symbol_count() const;
  std::size_t gnu_hash_symbol_count() const;

  int descriptor_;
  std::size_t size_;
  Arena& arena_;
  int error_ = 0;
  Elf64_Phdr* segments_ = nullptr;
  int segment_count_ = 0;
  const char* strings_ = nullptr;
  std::size_t strings_size_ = 0;
  std::size_t soname_ = ~std::size_t{0};
  Elf64_Addr symbols_ = 0, hash_ = 0, gnu_hash_ = 0, versions_ = 0;
  std::size_t version_count_ = 0;
};

FileState Image::open() {
  Elf64_Ehdr header;
  if (size_ < sizeof header) return size_ < SELFMAG ? FileState::not_elf : FileState::truncated;
  if (!read(0, &header, sizeof header)) return FileState::unreadable;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return FileState::not_elf;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != kMachine) {
    return FileState::other_architecture;
  }
  if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum > kMaxSegments) {
    return FileState::not_elf;
  }
  segment_count_ = header.e_phnum;
  const std::size_t bytes = sizeof(Elf64_Phdr) * header.e_phnum;
  segments_ = static_cast<Elf64_Phdr*>(arena_.take(bytes));
  if (segments_ == nullptr) return FileState::out_of_memory;
  if (!read(header.e_phoff, segments_, bytes)) return FileState::truncated;
  for (int i = 0; i < segment_count_; ++i) {
    const Elf64_Phdr& s = segments_[i];
    if (s.p_type == PT_LOAD && (s.p_offset > size_ || s.p_filesz > size_ - s.p_offset)) {
      return FileState::truncated;
    }
  }
  return FileState::usable;
}

FileState Image::read_dynamic() {
  const Elf64_Phdr* dynamic = nullptr;
  for (int i = 0; i < segment_count_; ++i) {
    if (segments_[i].p_type == PT_DYNAMIC) dynamic = &segments_[i];
  }
  if (dynamic == nullptr) return FileState::other_library;
  Elf64_Addr strings = 0;
  for (int i = 0; i < kMaxDynamic; ++i) {
    Elf64_Dyn entry;
    const std::size_t offset = sizeof entry * static_cast<std::size_t>(i);
    if (offset + sizeof entry > dynamic->p_filesz) break;
    if (!read(dynamic->p_offset + offset, &entry, sizeof entry)) return FileState::truncated;
    if (entry.d_tag == DT_NULL) break;
    switch (entry.d_tag) {
      case DT_STRTAB:
        strings = entry.d_un.d_ptr;
        break;
      case DT_STRSZ:
        strings_size_ = entry.d_un.d_val;
        break;
      case DT_SYMTAB:
        symbols_ = entry.d_un.d_ptr;
        break;
      case DT_HASH:
        hash_ = entry.d_un.d_ptr;
        break;
      case DT_GNU_HASH:
        gnu_hash_ = entry.d_un.d_ptr;
        break;
      case DT_SONAME:
        soname_ = entry.d_un.d_val;
        break;
      case DT_VERDEF:
        versions_ = entry.d_un.d_ptr;
        break;
      case DT_VERDEFNUM:
        version_count_ = entry.d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (strings == 0 || strings_size_ == 0 || strings_size_ > kMaxStrings) {
    strings_size_ = 0;
    return FileState::other_library;
  }
  // One byte more than the table: the arena's zero ends whatever string a broken file leaves open.
  auto* text = static_cast<char*>(arena_.take(strings_size_ + 1));
  if (text == nullptr) return FileState::out_of_memory;
  if (!read_at(strings, text, strings_size_)) return FileState::truncated;
  strings_ = text;
  return FileState::usable;
}

template <typename Visit>
void Image::each_version_definition(Visit visit) const {
  Elf64_Addr address = versions_;
  const std::size_t count = std::min<std::size_t>(version_count_, kMaxVersions);
  for (std::size_t i = 0; address != 0 && i < count; ++i) {
    Elf64_Verdef definition;
    Elf64_Verdaux name;
    if (!read_at(address, &definition, sizeof definition)) return;
    if (!read_at(address + definition.vd_aux, &name, sizeof name)) return;
    if ((definition.vd_flags & VER_FLG_BASE) == 0) visit(string(name.vda_name));
    if (definition.vd_next == 0) return;
    address += definition.vd_next;
  }
}

std::size_t Image::gnu_hash_symbol_count() const {
  std::uint32_t header[4];  // buckets, first hashed symbol, bloom words, bloom shift
  if (!read_at(gnu_hash_, header, sizeof header)) return 0;
  const Elf64_Addr buckets = gnu_hash_ + sizeof header + std::uint64_t{header[2]} * 8;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < header[0] && i < kMaxSymbols; ++i) {
    std::uint32_t first = 0;
    if (!read_at(buckets + std::uint64_t{i} * 4, &first, sizeof first)) return 0;
    last = std::max(last, first);
  }
  if (last < header[1]) return header[1];
  const Elf64_Addr chains = buckets + std::uint64_t{header[0]} * 4;
  for (;; ++last) {  // the last chain ends with an odd hash
    std::uint32_t hash = 0;
    if (last > kMaxSymbols) return 0;
    if (!read_at(chains + std::uint64_t{last - header[1]} * 4, &hash, sizeof hash)) return 0;
    if ((hash & 1) != 0) return last + std::size_t{1};
  }
}

std::size_t Image::symbol_count() const {
  std::uint32_t header[2];  // buckets, chains: one chain entry per symbol
  if (hash_ != 0 && read_at(hash_, header, sizeof header)) return header[1];
  return gnu_hash_ != 0 ? gnu_hash_symbol_count() : 0;
}

template <typename Visit>
FileState Image::each_export(Visit visit) {
  const std::size_t count = symbol_count();
  if (count > kMaxSymbols) return FileState::not_elf;
  auto* symbols = static_cast<Elf64_Sym*>(arena_.take(count * sizeof(Elf64_Sym)));
  if (symbols == nullptr) return FileState::out_of_memory;
  if (!read_at(symbols_, symbols, count * sizeof(Elf64_Sym))) return FileState::truncated;
  for (std::size_t i = 0; i < count; ++i) {
    if (symbols[i].st_shndx != SHN_UNDEF) visit(string(symbols[i].st_name));
  }
  return FileState::usable;
}

// A minor is shown by the names that came with it: the newest whose names, and those of all minors
// before it, are there. A minor without new names can't be told from the one before.
int newest_minor(const LibraryDescriptor& library, const Tables& tables, int column,
                 const unsigned char* present) {
  int missing_from = 1 << 8;
  int newest = -1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < tables.symbol_count; ++i) {
      const int minor = minor_of(tables.history[i * library.major_count + column]);
      if (minor < 0) continue;
      if (pass == 0 && present[i] == 0) missing_from = std::min(missing_from, minor);
      if (pass == 1 && minor < missing_from) newest = std::max(newest, minor);
    }
  }
  return newest;
}

void check_exports(Image& image, const LibraryDescriptor& library, const Tables& tables,
                   Arena& arena, ImageFacts* facts) {
  auto* present =
      static_cast<unsigned char*>(arena.take(static_cast<std::size_t>(tables.symbol_count)));
  if (present == nullptr) {
    facts->state = FileState::out_of_memory;
    return;
  }
  facts->state = image.each_export([&](const char* name) {
    const int symbol = tables.find_symbol(name);
    if (symbol >= 0) present[symbol] = 1;
  });
  if (facts->state != FileState::usable) return;
  const int major = facts->version.major;
  const int missing =
      tables.missing_core(library, major, [&](int symbol) { return present[symbol] != 0; });
  if (missing >= 0) {
    facts->state = FileState::core_symbol_missing;
    facts->detail = tables.symbol_name(missing);
  }
  const int column = library.index_of(major);
  if (column >= 0 && !library.is_driver) {
    facts->version.minor = newest_minor(library, tables, column, present);
  }
}

void examine(Image& image, const LibraryDescriptor& library, const Tables* tables, Arena& arena,
             ImageFacts* facts, char (&other_name)[64]) {
  facts->state = image.open();
  if (facts->state == FileState::usable) facts->state = image.read_dynamic();
  if (facts->state != FileState::usable) return;
  Identity identity(library);
  identity.soname(image.soname());
  image.each_version_definition([&](const char* name) { identity.version_definition(name); });
  if (identity.is_stub()) {
    facts->state = FileState::anycuda_stub;
    return;
  }
  facts->version.major = identity.major();
  if (identity.major() == 0) {
    facts->state = FileState::other_library;
    std::strncpy(other_name, image.soname(), sizeof other_name - 1);
    return;
  }
  if (tables != nullptr) check_exports(image, library, *tables, arena, facts);
}

}  // namespace

ImageFacts read_image(int descriptor, unsigned long size, const LibraryDescriptor& library,
                      const Tables* tables, Arena& arena) {
  const std::size_t mark = arena.mark();
  ImageFacts facts;
  char other_name[64] = {};
  {
    Image image(descriptor, size, arena);
    examine(image, library, tables, arena, &facts, other_name);
    facts.error = image.error();
  }
  arena.rewind(mark);
  if (other_name[0] != '\0') facts.detail = arena.copy(other_name);
  return facts;
}

}  // namespace anycuda
