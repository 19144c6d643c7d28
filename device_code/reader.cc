// SPDX-License-Identifier: Apache-2.0
#include "device_code/reader.h"

#include "device_code/archive.h"
#include "device_code/cubin.h"
#include "device_code/fatbin.h"
#include "device_code/host_elf.h"
#include "device_code/ptx.h"
#include "device_code/region.h"

namespace anycuda::device_code {
namespace {

FileKind kind_of(Bytes file) {
  if (is_cubin(file)) return FileKind::cubin;
  if (is_elf(file)) return FileKind::host_elf;
  if (is_archive(file) || is_thin_archive(file)) return FileKind::archive;
  if (file.begins_with(kFatbin, sizeof kFatbin)) return FileKind::fatbin;
  if (file.begins_with(kLtoIr, sizeof kLtoIr)) return FileKind::lto_ir;
  const std::size_t text = find_ptx(file);
  return text < file.size && read_ptx_header(file.from(text)).version.known() ? FileKind::ptx
                                                                              : FileKind::other;
}

void read_as(FileKind kind, Bytes file, RegionReader* reader) {
  switch (kind) {
    case FileKind::cubin:
      return reader->cubin(file, false);
    case FileKind::host_elf:
      return read_host_elf(file, reader);
    case FileKind::fatbin:
      return reader->fatbins(file);
    case FileKind::lto_ir:
      return reader->lto_ir(file);
    case FileKind::ptx:
      reader->ptx(file.from(find_ptx(file)), false);
      return;
    case FileKind::archive:
    case FileKind::other:
      return reader->search(file);
  }
}

void read_archive(Bytes archive, RegionReader* reader) {
  if (is_thin_archive(archive)) {
    return reader->problem("a thin archive has its members in other files", archive);
  }
  std::size_t at = kFirstMember;
  Bytes member;
  NextMember next;
  while ((next = next_member(archive, &at, &member)) == NextMember::found) {
    const FileKind kind = kind_of(member);
    if (kind != FileKind::other) read_as(kind, member, reader);  // not its list of symbols
  }
  if (next == NextMember::damaged) {
    reader->problem("an archive is damaged or truncated", archive.from(at));
  }
}

}  // namespace

FileKind read(Bytes file, const Visitor& visitor) {
  RegionReader reader(file, visitor);
  const FileKind kind = kind_of(file);
  if (kind == FileKind::archive) {
    read_archive(file, &reader);
  } else {
    read_as(kind, file, &reader);
  }
  return kind;
}

}  // namespace anycuda::device_code
