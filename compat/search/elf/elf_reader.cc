// SPDX-License-Identifier: Apache-2.0
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
constexpr std::size_t kMaxDynamic = 4096;
constexpr std::size_t kWindows[] = {std::size_t{32} << 10, std::size_t{16} << 10};
constexpr std::size_t kSmall = 1024;

// Since glibc 2.34 libc has the functions of the last three. (Not those of libm, which each library
// that names it calls.)
constexpr char kPartsOfLibc[][16] = {"libc.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"};

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
  for (const Window& window : windows_) {
    const char* const found = window.at(offset, bytes);
    if (found == nullptr) continue;
    std::memcpy(into, found, bytes);
    return true;
  }
  const int place = offset == 0 ? 0 : 1;
  Window& window = windows_[place];
  if (window.bytes == nullptr) window.bytes = static_cast<char*>(arena_.take_raw(kWindows[place]));
  if (bytes > kSmall || window.bytes == nullptr) return read_direct(offset, into, bytes);
  window.start = offset;
  window.size = std::min(kWindows[place], size_ - offset);
  if (!read_direct(offset, window.bytes, window.size)) {
    window.size = 0;
    return false;
  }
  std::memcpy(into, window.bytes, bytes);
  return true;
}

ElfReader::Stretch ElfReader::stretch_at(Elf64_Addr address) const {
  for (int i = 0; i < segment_count_; ++i) {
    const Elf64_Phdr& s = segments_[i];
    if (s.p_type != PT_LOAD || address < s.p_vaddr || address - s.p_vaddr >= s.p_filesz) continue;
    const Elf64_Addr inside = address - s.p_vaddr;
    return {s.p_offset + inside, s.p_filesz - inside};
  }
  return {};
}

// The bytes of the image where the first window has them, nullptr: not there. It stays as it is.
const char* ElfReader::in_window(Elf64_Addr address, std::size_t bytes) const {
  const Stretch stretch = stretch_at(address);
  return bytes <= stretch.bytes ? windows_[0].at(stretch.offset, bytes) : nullptr;
}

bool ElfReader::read_at(Elf64_Addr address, void* into, std::size_t bytes) {
  const Stretch stretch = stretch_at(address);
  return stretch.bytes != 0 && bytes <= stretch.bytes && read(stretch.offset, into, bytes);
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
  segments_ = static_cast<Elf64_Phdr*>(arena_.take_raw(bytes));
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
  const std::size_t count = std::min(dynamic->p_filesz / sizeof(Elf64_Dyn), kMaxDynamic);
  auto* entries = static_cast<Elf64_Dyn*>(arena_.take_raw(count * sizeof(Elf64_Dyn)));
  if (entries == nullptr) return FileState::out_of_memory;
  if (!read(dynamic->p_offset, entries, count * sizeof(Elf64_Dyn))) return FileState::truncated;
  entries_ = entries;
  entry_count_ = count;
  const Elf64_Addr strings = value_of(DT_STRTAB);
  strings_size_ = value_of(DT_STRSZ);
  if (strings == 0 || strings_size_ == 0 || strings_size_ > kMaxStrings) {
    strings_size_ = 0;
    return FileState::other_library;
  }
  // More than the table: a zero ends an unterminated string of a broken file, and HashedName reads
  // eight bytes at a time.
  constexpr std::size_t kBehind = 8;
  strings_ = in_window(strings, strings_size_ + kBehind);
  if (strings_ == nullptr || strings_[strings_size_ - 1] != '\0') {
    auto* text = static_cast<char*>(arena_.take_raw(strings_size_ + kBehind));
    if (text == nullptr) return FileState::out_of_memory;
    if (!read_at(strings, text, strings_size_)) return FileState::truncated;
    std::memset(text + strings_size_, 0, kBehind);
    strings_ = text;
  }
  gnu_hash_ = value_of(DT_GNU_HASH);
  return FileState::usable;
}

const char* ElfReader::run_path(bool* is_rpath) const {
  const Elf64_Xword runpath = value_of(DT_RUNPATH);
  const Elf64_Xword rpath = value_of(DT_RPATH);
  *is_rpath = runpath == 0 && rpath != 0;
  return runpath != 0 ? string(runpath) : rpath != 0 ? string(rpath) : "";
}

bool ElfReader::needs_only_libc() const {
  bool only = true;
  each_needed([&](const char* name) {
    bool is_part = is_linker(name);
    for (const auto& part : kPartsOfLibc) is_part = is_part || std::strcmp(name, part) == 0;
    only = only && is_part;
  });
  return only;
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

template <typename T>
const T* ElfReader::read_table(Elf64_Addr address, std::size_t count, FileState* state) {
  const void* found = in_window(address, count * sizeof(T));
  if (reinterpret_cast<std::uintptr_t>(found) % alignof(T) != 0) found = nullptr;
  if (found != nullptr) return static_cast<const T*>(found);
  auto* table = static_cast<T*>(arena_.take_raw(count * sizeof(T)));
  if (table == nullptr) *state = FileState::out_of_memory;
  if (table == nullptr || read_at(address, table, count * sizeof(T))) return table;
  *state = FileState::truncated;
  return nullptr;
}

// The table does not have the number of hashes: after `last`, the start of a bucket, the first hash
// that ends a bucket is the last one.
bool ElfReader::read_hashes(Elf64_Addr address, std::uint32_t last, GnuHashBuckets* buckets) {
  const std::size_t most = std::min(stretch_at(address).bytes / sizeof(std::uint32_t), kMaxSymbols);
  for (std::size_t count = last - buckets->first + 16;; count *= 2) {
    count = std::min(count, most);
    const std::size_t mark = arena_.mark();
    FileState state;
    const auto* hashes = read_table<std::uint32_t>(address, count, &state);
    if (hashes == nullptr) return false;
    for (std::size_t i = last - buckets->first; i < count; ++i) {
      if ((hashes[i] & 1) == 0) continue;
      buckets->hashes = hashes;
      buckets->hash_count = static_cast<std::uint32_t>(i) + 1;
      return true;
    }
    arena_.rewind(mark);
    if (count == most) return false;
  }
}

FileState ElfReader::read_exports(ExportTable* table) {
  std::uint32_t header[4];  // buckets, first hashed symbol, bloom words, bloom shift
  if (!read_at(gnu_hash_, header, sizeof header)) return FileState::usable;
  const std::uint32_t count = header[0];
  if (count == 0 || count > kMaxSymbols || header[1] > kMaxSymbols) return FileState::usable;
  const Elf64_Addr address = gnu_hash_ + sizeof header + std::uint64_t{header[2]} * 8;
  FileState state = FileState::usable;
  GnuHashBuckets buckets;
  buckets.first = header[1];
  buckets.heads = read_table<std::uint32_t>(address, count, &state);
  if (state == FileState::out_of_memory) return state;
  if (state != FileState::usable) return FileState::usable;
  const std::uint32_t last = *std::max_element(buckets.heads, buckets.heads + count);
  if (last < buckets.first || last > kMaxSymbols) return FileState::usable;
  if (!read_hashes(address + std::uint64_t{count} * 4, last, &buckets)) return FileState::usable;
  buckets.count = count;
  table->buckets = buckets;
  return state;
}

FileState ElfReader::read_names(ExportTable* table) {
  FileState state = FileState::usable;
  table->symbols = read_table<Elf64_Sym>(value_of(DT_SYMTAB),
                                         table->buckets.first + table->buckets.hash_count, &state);
  table->strings = strings_;
  table->strings_size = strings_size_;
  return state;
}

Elf64_Xword ElfReader::value_of(Elf64_Sxword tag) const {
  for (std::size_t i = 0; i < entry_count_ && entries_[i].d_tag != DT_NULL; ++i) {
    if (entries_[i].d_tag == tag) return entries_[i].d_un.d_val;
  }
  return 0;
}

bool ElfReader::read_late_calls(LateCalls* calls) {
  std::uint32_t header[2];  // buckets, first hashed symbol: those before it are other libraries'
  if (value_of(DT_PLTREL) != DT_RELA || !read_at(gnu_hash_, header, sizeof header)) return false;
  const std::size_t count = value_of(DT_PLTRELSZ) / sizeof(Elf64_Rela);
  if (count > kMaxSymbols || header[1] > kMaxSymbols) return false;
  FileState state;
  calls->relocations = read_table<Elf64_Rela>(value_of(DT_JMPREL), count, &state);
  calls->symbols = read_table<Elf64_Sym>(value_of(DT_SYMTAB), header[1], &state);
  calls->versions = read_table<Elf64_Half>(value_of(DT_VERSYM), header[1], &state);
  calls->count = count;
  calls->symbol_count = header[1];
  return calls->relocations != nullptr && calls->symbols != nullptr && calls->versions != nullptr;
}

FileState ElfReader::read_symbols(const Elf64_Sym** symbols, std::size_t* count) {
  std::uint32_t header[2];  // buckets, chains: one chain entry per symbol
  const Elf64_Addr hash = value_of(DT_HASH);
  if (hash == 0 || !read_at(hash, header, sizeof header)) return FileState::usable;
  if (header[1] > kMaxSymbols) return FileState::not_elf;
  FileState state = FileState::usable;
  *symbols = read_table<Elf64_Sym>(value_of(DT_SYMTAB), header[1], &state);
  if (state == FileState::usable) *count = header[1];
  return state;
}

}  // namespace anycuda
