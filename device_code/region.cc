// SPDX-License-Identifier: Apache-2.0
#include "device_code/region.h"

#include "device_code/cubin.h"
#include "device_code/ptx.h"

namespace anycuda::device_code {
namespace {

constexpr unsigned char kElf[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
constexpr char kVersion[] = ".version ";

// The note with the toolkit stands behind the names of a cubin's sections and symbols.
constexpr std::size_t kEnough[] = {kCubinHeader, std::size_t{16} << 10, std::size_t{512} << 10,
                                   std::size_t{16} << 20, Unpacker::kMost};

constexpr char kDamaged[] = "a fatbin is damaged or truncated";

// Where one of the magic texts is next.
struct Search {
  const void* text;
  std::size_t length;
  std::size_t next = 0;

  void advance(Bytes region, std::size_t at) {
    if (next < at || at == 0) next = region.find(text, length, at);
  }
};

Version toolkit_of(Bytes cubin) {
  if (!is_cubin(cubin)) return {};
  const Version toolkit = read_cubin_header(cubin).toolkit;
  return toolkit.known() ? toolkit : toolkit_of_note(cubin);
}

// How many of a concatenated entry's bytes in the file go to a code of that size.
std::uint64_t share(const Entry& whole, std::uint64_t size) {
  if (size >= whole.unpacked) return whole.stored;
  return static_cast<std::uint64_t>(
      static_cast<double>(whole.stored) *
      (static_cast<double>(size) / static_cast<double>(whole.unpacked)));
}

bool is_padding(Bytes bytes) {
  for (std::size_t at = 0; at < bytes.size; ++at) {
    if (bytes.data[at] != 0) return false;
  }
  return true;
}

std::size_t least(std::size_t one, std::size_t other) { return one < other ? one : other; }

}  // namespace

std::uint64_t RegionReader::offset_of(Bytes part) const {
  return part.data == nullptr ? 0 : static_cast<std::uint64_t>(part.data - file_.data);
}

void RegionReader::report(Entry entry, Bytes where, bool plain_data) {
  entry.offset = offset_of(where);
  entry.plain_data = plain_data;
  visitor_.entry(entry, visitor_.argument);
}

void RegionReader::problem(const char* what, Bytes where) {
  visitor_.problem({what, offset_of(where)}, visitor_.argument);
}

// A fatbin names the architecture; which CUDA made a cubin only the cubin tells.
void RegionReader::complete(Bytes content, Entry* entry) {
  for (const std::size_t size : kEnough) {
    if (size == kCubinHeader && entry->compression == Compression::zstd) continue;  // by blocks
    const Bytes beginning = unpacker_.part(content, entry->compression, 0, size);
    if (!is_cubin(beginning)) return;
    entry->toolkit = toolkit_of(beginning);
    if (entry->toolkit.known() || beginning.size < size) return;
  }
}

RegionReader::Extent RegionReader::fatbin(Bytes file, bool plain_data) {
  const Bytes entries = entries_of(file);
  std::size_t at = 0;
  FatbinEntry entry;
  NextEntry next;
  while ((next = next_entry(entries, &at, &entry)) == NextEntry::found) {
    if (entry.kind() == Kind::concatenated) {
      concatenated(entry, plain_data);
      continue;
    }
    Entry about = describe(entry);
    const Bytes content = entry.content.part(0, about.stored);
    if (about.kind == Kind::cubin) complete(content, &about);
    report(about, content, plain_data);
  }
  std::uint64_t size = 0;
  file.read(kFatbinSize, &size);
  const bool damaged = next == NextEntry::damaged || size > entries.size;
  // Programs that read fatbins, as anycuda's stubs do, have the magic number among their data.
  if (damaged && plain_data && at == 0) return {sizeof kFatbin, true};
  if (damaged) problem(kDamaged, entries.from(at));
  return {kFatbinHeader + at, damaged};
}

void RegionReader::concatenated(const FatbinEntry& entry, bool plain_data) {
  const Entry whole = describe(entry);
  const Bytes content = entry.content.part(0, whole.stored);
  Rows rows = rows_of(entry);
  FatbinEntry row;
  NextEntry next;
  while ((next = next_row(&rows, &row)) == NextEntry::found) {
    Entry about = describe(row);
    std::uint32_t place = 0;
    std::uint64_t size = 0;
    row.header.read(fatbin::kPlace, &place);
    row.header.read(fatbin::kContentSize, &size);
    about.compression = whole.compression;
    about.unpacked = size;
    about.stored = share(whole, size);
    about.concatenated = true;
    if (about.kind == Kind::cubin) {
      about.toolkit =
          toolkit_of(unpacker_.part(content, whole.compression, place,
                                    static_cast<std::size_t>(least(size, Unpacker::kMost))));
    }
    report(about, content, plain_data);
  }
  if (next == NextEntry::damaged) problem("a concatenated entry is damaged", content);
}

void RegionReader::fatbins(Bytes region) {
  Extent before;
  for (std::size_t at = 0; at < region.size; at += before.size) {
    const std::size_t next = region.find(kFatbin, sizeof kFatbin, at);
    const Bytes here = region.from(next);
    if (!before.damaged && !is_padding(region.part(at, next - at))) {
      problem("a fatbin is damaged or truncated: its magic number is missing", region.from(at));
    }
    if (here.size == 0) return;
    if (here.size < kFatbinHeader) return problem(kDamaged, here);
    before = fatbin(here, false);
    at = next;
  }
}

void RegionReader::search(Bytes region) {
  Search fatbins = {kFatbin, sizeof kFatbin};
  Search cubins = {kElf, sizeof kElf};
  Search texts = {kVersion, sizeof kVersion - 1};
  for (std::size_t at = 0; at < region.size;) {
    fatbins.advance(region, at);
    cubins.advance(region, at);
    texts.advance(region, at);
    at = least(fatbins.next, least(cubins.next, texts.next));
    const Bytes here = region.from(at);
    if (at == fatbins.next && here.size >= kFatbinHeader) {
      at += fatbin(here, true).size;
    } else if (at == cubins.next && is_cubin(here)) {
      cubin(here, true);
      at += static_cast<std::size_t>(here.part(0, read_cubin_header(here).size).size);
    } else {
      at += at == texts.next && at < region.size ? ptx(here, true) : 1;
    }
  }
}

void RegionReader::cubin(Bytes file, bool plain_data) {
  const CubinHeader header = read_cubin_header(file);
  const Bytes all = file.part(0, header.size);
  Entry entry;
  entry.architecture = header.architecture;
  entry.target = header.target;
  entry.toolkit = header.toolkit;
  entry.stored = entry.unpacked = all.size;
  if (!entry.toolkit.known()) {
    const Bytes beginning = all.part(0, Unpacker::kMost);
    entry.toolkit = toolkit_of_note(beginning);
    entry.target = target_of_note(beginning);
  }
  if (header.size > file.size) problem("a cubin is truncated", file);
  report(entry, all, plain_data);
}

// Returns the text's length, at least 1.
std::size_t RegionReader::ptx(Bytes text, bool plain_data) {
  const PtxHeader header = read_ptx_header(text);
  if (!header.version.known() || header.architecture == 0) return 1;
  Entry entry;
  entry.kind = Kind::ptx;
  entry.architecture = header.architecture;
  entry.target = header.target;
  entry.format = header.version;
  const Bytes all = plain_data ? text.part(0, text.find("", 1)) : text;  // up to a NUL
  entry.stored = entry.unpacked = all.size;
  report(entry, all, plain_data);
  return all.size;
}

void RegionReader::lto_ir(Bytes file) {
  Entry entry;
  entry.kind = Kind::lto_ir;
  std::uint8_t major = 0, minor = 0;
  if (!file.read(4, &major) || !file.read(5, &minor)) {
    return problem("LTO-IR is truncated", file);
  }
  entry.format = {major, minor};
  entry.stored = entry.unpacked = file.size;
  report(entry, file, false);
}

}  // namespace anycuda::device_code
