// SPDX-License-Identifier: Apache-2.0
#include "device_code/program/print.h"

namespace anycuda::device_code {

const char* name_of(FileKind kind) {
  switch (kind) {
    case FileKind::host_elf:
      return "elf";
    case FileKind::archive:
      return "archive";
    case FileKind::fatbin:
      return "fatbin";
    case FileKind::cubin:
      return "cubin";
    case FileKind::ptx:
      return "ptx";
    case FileKind::lto_ir:
      return "lto_ir";
    case FileKind::other:
      break;
  }
  return "other";
}

const char* name_of(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::lz4:
      return "lz4";
    case Compression::zstd:
      return "zstd";
    case Compression::unknown:
      break;
  }
  return "unknown";
}

}  // namespace anycuda::device_code
