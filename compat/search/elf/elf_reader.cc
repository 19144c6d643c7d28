#include "compat/search/elf/elf_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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
constexpr std::size_t kWindow = std::size_t{16} << 10;
constexpr std::size_t kSmall = 256;

}  // namespace

bool ElfReader::read_direct(std::size_t offset, void* into, std::size_t bytes) {
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

bool ElfReader::read(std::size_t offset, void* into, std::size_t bytes) {
  if (offset > size_ || bytes > size_ - offset) return false;
  if (window_ == nullptr) window_ = static_cast<char*>(arena_.take(kWindow));
  if (bytes > kSmall || window_ == nullptr) return read_direct(offset, into, bytes);
  const bool inside = offset >= window_start_ && offset - window_start_ <= window_size_ &&
                      bytes <= window_size_ - (offset - window_start_);
  if (!inside) {
    window_start_ = offset;
    window_size_ = std::min(kWindow, size_ - offset);
    if (!read_direct(offset, window_, window_size_)) {
      window_size_ = 0;
      return false;
    }
  }
  std::memcpy(into, window_ + (offset - window_start_), bytes);
  return true;
}

bool ElfReader::read_at(Elf64_Addr address, void* into, std::size_t bytes) {
  for (int i = 0; i < segment_count_; ++i) {
    const Elf64_Phdr& s = segments_[i];
    if (s.p_type != PT_LOAD || address < s.p_vaddr || address - s.p_vaddr >= s.p_filesz) continue;
    const Elf64_Addr inside = address - s.p_vaddr;
    return bytes <= s.p_filesz - inside && read(s.p_offset + inside, into, bytes);
  }
  return false;
}

FileState ElfReader::open() {
  Elf64_Ehdr header;
  // The magic number first: a short text (an empty file, a linker script) was never cut off.
  if (size_ < SELFMAG) return FileState::not_elf;
  if (!read(0, &header, SELFMAG)) return FileState::unreadable;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return FileState::not_elf;
  if (size_ < sizeof header) return FileState::truncated;
  if (!read(0, &header, sizeof header)) return FileState::unreadable;
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

FileState ElfReader::read_dynamic() {
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
      case DT_NEEDED:
        needs_libraries_ = true;
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

// The address of the definition behind the one at `address`, 0 at the end; its name, nullptr for
// the one that stands for the library itself.
Elf64_Addr ElfReader::next_version(Elf64_Addr address, const char** name) {
  Elf64_Verdef definition;
  Elf64_Verdaux first;
  if (!read_at(address, &definition, sizeof definition)) return 0;
  if (!read_at(address + definition.vd_aux, &first, sizeof first)) return 0;
  if ((definition.vd_flags & VER_FLG_BASE) == 0) *name = string(first.vda_name);
  return definition.vd_next != 0 ? address + definition.vd_next : 0;
}

std::size_t ElfReader::gnu_hash_symbol_count() {
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

std::size_t ElfReader::symbol_count() {
  std::uint32_t header[2];  // buckets, chains: one chain entry per symbol
  if (hash_ != 0 && read_at(hash_, header, sizeof header)) return header[1];
  return gnu_hash_ != 0 ? gnu_hash_symbol_count() : 0;
}

FileState ElfReader::read_symbols(Elf64_Sym** symbols, std::size_t* count) {
  const std::size_t found = symbol_count();
  if (found > kMaxSymbols) return FileState::not_elf;
  if (found == 0) return FileState::usable;
  auto* table = static_cast<Elf64_Sym*>(arena_.take(found * sizeof(Elf64_Sym)));
  if (table == nullptr) return FileState::out_of_memory;
  if (!read_at(symbols_, table, found * sizeof(Elf64_Sym))) return FileState::truncated;
  *symbols = table;
  *count = found;
  return FileState::usable;
}

}  // namespace anycuda
