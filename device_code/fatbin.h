// SPDX-License-Identifier: Apache-2.0

// A fatbin, NVIDIA's container of device code: a header, and entries one behind the other.
// The numbers are read off the output of nvcc 11.8, 12.4, 13.0 and 13.5 and off CUDA's libraries of
// 11.8 to 13.5, beside what cuobjdump prints of them. Also for the stubs: no library, no memory.
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

constexpr std::size_t kKind = 0, kHeaderSize = 4, kContentSize = 8, kPackedSize = 16, kOptions = 20,
                      kMinor = 24, kMajor = 26, kArchitecture = 28, kName = 32, kNameSize = 36,
                      kFlags = 40, kUnpackedSize = 56;
constexpr std::size_t kLeastHeader = 28;  // entries of LTO-IR can be so short

// A concatenated entry (nvcc --concat, from CUDA 13.4 on) has a row for each code behind its
// header: their number, the size of both and of the rows, and the rows. A row is the header that
// the code would have, with its place in the unpacked content where its header's size would be.
constexpr std::size_t kRows = 64, kRowsSize = 68, kFirstRow = 72;
constexpr std::size_t kPlace = kHeaderSize;
constexpr std::size_t kLeastRow = 64;

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

// The facts about the entry in its header; facts that need its contents are left out.
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

// The codes of a concatenated entry.
struct Rows {
  Bytes left;
  std::uint32_t count = 0;    // not yet read
  std::uint64_t content = 0;  // bytes of all codes
  std::uint64_t next = 0;     // where the next code begins, or later
};

inline Rows rows_of(const FatbinEntry& entry) {
  Rows rows;
  std::uint32_t size = 0;
  if (!entry.header.read(fatbin::kRows, &rows.count) ||
      !entry.header.read(fatbin::kRowsSize, &size) || !entry.header.holds(fatbin::kRows, size) ||
      size < fatbin::kFirstRow - fatbin::kRows) {
    return {{}, 1, 0, 0};  // damaged: a row without bytes
  }
  rows.left = entry.header.part(fatbin::kFirstRow, size - (fatbin::kFirstRow - fatbin::kRows));
  rows.content = describe(entry).unpacked;
  return rows;
}

// A row ends with a name and with options of the compiler, where it has them: texts that end with a
// zero byte and are filled up to a multiple of eight.
inline std::uint64_t size_of_row(Bytes row) {
  const auto end = [](std::uint64_t at, std::uint64_t size) { return (at + size + 8) / 8 * 8; };
  std::uint32_t name = 0, name_size = 0, options = 0, text = 0, text_size = 0;
  row.read(fatbin::kName, &name);
  row.read(fatbin::kNameSize, &name_size);
  row.read(fatbin::kOptions, &options);
  std::uint64_t size = fatbin::kLeastRow;
  if (name != 0 && end(name, name_size) > size) size = end(name, name_size);
  if (options == 0) return size;
  if (!row.read(options, &text) || !row.read(std::uint64_t{options} + 4, &text_size)) {
    return row.size + 1;
  }
  return end(text, text_size) > size ? end(text, text_size) : size;
}

// Reads the next row as an entry without content; its code has kContentSize bytes at kPlace.
inline NextEntry next_row(Rows* rows, FatbinEntry* entry) {
  if (rows->count == 0) return NextEntry::end;
  std::uint32_t place = 0;
  std::uint64_t code = 0;
  const std::uint64_t size = size_of_row(rows->left);
  if (size > rows->left.size || !rows->left.read(fatbin::kPlace, &place) ||
      !rows->left.read(fatbin::kContentSize, &code) || place < rows->next ||
      place > rows->content || code > rows->content - place) {
    return NextEntry::damaged;
  }
  *entry = {rows->left.part(0, size), {}};
  if (entry->kind() == Kind::concatenated) return NextEntry::damaged;
  rows->next = place + code;
  rows->left = rows->left.from(size);
  --rows->count;
  return NextEntry::found;
}

}  // namespace anycuda::device_code
