// A fatbin, NVIDIA's container of device code: a header, and entries one behind the other.
// The numbers are read off the output of nvcc 11.8, 12.4 and 13.0 and off CUDA's libraries of 11.8
// to 13.5, beside what cuobjdump prints of them. Also for the stubs: no library, no memory.
#pragma once

#include "device_code/entry.h"

namespace anycuda::device_code {

// Magic number, version 1, size of this header; then the size of what follows.
constexpr unsigned char kFatbin[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
constexpr std::size_t kFatbinHeader = 16;
constexpr std::size_t kFatbinSize = 8;

struct FatbinEntry {
  Bytes header;
  Bytes content;  // with what fills it up to a multiple of eight

  Kind kind() const;
  Version format() const;
};

enum class NextEntry { found, end, damaged };

namespace fatbin {

constexpr std::size_t kKind = 0, kHeaderSize = 4, kContentSize = 8, kPackedSize = 16, kMinor = 24,
                      kMajor = 26, kArchitecture = 28, kFlags = 40, kUnpackedSize = 56;
constexpr std::size_t kLeastHeader = 28;  // entries of LTO-IR can be so short

constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;
constexpr std::uint64_t kScrambled =
    0x10000;  // LTO-IR of CUDA 12.4 on, which only NVIDIA's linker reads
constexpr std::uint64_t kThisArchitecture = 0x100000, kThisFamily = 0x200000;

inline Compression compression_of(std::uint64_t flags) {
  if ((flags & kScrambled) != 0) return Compression::unknown;
  return (flags & kZstd) != 0  ? Compression::zstd
         : (flags & kLz4) != 0 ? Compression::lz4
                               : Compression::none;
}

}  // namespace fatbin

inline Kind FatbinEntry::kind() const {
  Kind kind = {};
  header.read(fatbin::kKind, &kind);
  return kind;
}

// Of PTX its ISA version, of LTO-IR its format's, of a cubin its ABI's.
inline Version FatbinEntry::format() const {
  std::uint16_t minor = 0, major = 0;
  header.read(fatbin::kMinor, &minor);
  header.read(fatbin::kMajor, &major);
  return {major, minor};
}

// The entries' bytes of the fatbin that `file` begins with; what its size reaches past the file's
// end is left out. It must hold kFatbinHeader bytes.
inline Bytes entries_of(Bytes file) {
  std::uint64_t size = 0;
  file.read(kFatbinSize, &size);
  return file.part(kFatbinHeader, size);
}

// Reads the entry at *at and moves *at behind it.
inline NextEntry next_entry(Bytes entries, std::size_t* at, FatbinEntry* entry) {
  if (*at >= entries.size) return NextEntry::end;
  std::uint32_t header = 0;
  std::uint64_t content = 0;
  if (!entries.read(*at + fatbin::kHeaderSize, &header) ||
      !entries.read(*at + fatbin::kContentSize, &content) || header < fatbin::kLeastHeader ||
      !entries.holds(*at, header) || !entries.holds(*at + header, content)) {
    return NextEntry::damaged;
  }
  *entry = {entries.part(*at, header), entries.part(*at + header, content)};
  *at += header + static_cast<std::size_t>(content);
  return NextEntry::found;
}

// What the header tells of the entry; what only its contents tell is left out.
inline Entry describe(const FatbinEntry& one) {
  Entry entry;
  std::uint64_t flags = 0;
  one.header.read(fatbin::kArchitecture, &entry.architecture);
  one.header.read(fatbin::kFlags, &flags);
  entry.kind = one.kind();
  entry.format = one.format();
  entry.target = (flags & fatbin::kThisArchitecture) != 0 ? 'a'
                 : (flags & fatbin::kThisFamily) != 0     ? 'f'
                                                          : '\0';
  entry.compression = fatbin::compression_of(flags);
  entry.stored = entry.unpacked = one.content.size;
  if (entry.compression == Compression::none) return entry;
  std::uint32_t packed = 0;
  if (one.header.read(fatbin::kPackedSize, &packed) && packed != 0 && packed < entry.stored) {
    entry.stored = packed;
  }
  one.header.read(fatbin::kUnpackedSize, &entry.unpacked);
  return entry;
}

}  // namespace anycuda::device_code
