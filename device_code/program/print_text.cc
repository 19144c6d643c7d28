// SPDX-License-Identifier: Apache-2.0

// A table for people.
#include <cinttypes>

#include "device_code/program/print.h"
#include "device_code/unpack.h"

namespace anycuda::device_code {
namespace {

void put_kind(const Entry& entry, std::FILE* out) {
  switch (entry.kind) {
    case Kind::cubin:
      std::fputs("cubin", out);
      break;
    case Kind::ptx:
      std::fputs("PTX", out);
      break;
    case Kind::lto_ir:
      std::fputs("LTO-IR", out);
      break;
    case Kind::index:
      std::fputs("index", out);
      break;
    case Kind::relocatable_ptx:
      std::fputs("relocatable PTX", out);
      break;
    case Kind::tile_ir:
      std::fputs("Tile IR", out);
      break;
    default:
      std::fprintf(out, "kind %u", static_cast<unsigned>(entry.kind));
  }
  if (entry.kind != Kind::cubin && entry.format.known()) {
    std::fprintf(out, " %d.%d", entry.format.major, entry.format.minor);
  }
  if (entry.toolkit.known()) {
    std::fprintf(out, " of CUDA %d.%d", entry.toolkit.major, entry.toolkit.minor);
  }
}

const char* prefix_of(Kind kind) { return kind == Kind::cubin ? "sm" : "compute"; }

void file(const char* path, std::FILE* out) { std::fprintf(out, "%s\n", path); }

void unreadable(const char* path, const char* why, std::FILE* out) {
  std::fprintf(out, "%s cannot be read: %s\n", path, why);
}

void group(const Group& group, std::FILE* out) {
  const Entry& entry = group.about;
  char architecture[32] = "any GPU";  // as LTO-IR in a file without a container
  if (entry.architecture != 0) {
    const char target[] = {entry.target, '\0'};
    std::snprintf(architecture, sizeof architecture, "%s_%u%s", prefix_of(entry.kind),
                  static_cast<unsigned>(entry.architecture), target);
  }
  std::fprintf(out, "  %-12s %7" PRIu64 " entr%s %10.1f kB  ", architecture, group.entries,
               group.entries == 1 ? "y  " : "ies", static_cast<double>(entry.stored) / 1e3);
  put_kind(entry, out);
  if (entry.compression == Compression::unknown) {
    std::fputs(", scrambled", out);
  } else if (entry.compression != Compression::none) {
    std::fprintf(out, ", %s", name_of(entry.compression));
  }
  if (entry.concatenated) std::fputs(", concatenated", out);
  if (!unpacks(entry.compression) && entry.kind == Kind::cubin) {
    std::fputs(" (this build cannot decompress it, so its CUDA release is unknown)", out);
  }
  std::fputs(entry.plain_data ? ", plain data (outside of nvcc's sections)\n" : "\n", out);
}

void problem(const Problem& problem, std::FILE* out) {
  std::fprintf(out, "  at byte %" PRIu64 ": %s\n", problem.offset, problem.what);
}

void end(FileKind, std::uint64_t entries, std::FILE* out) {
  if (entries == 0) std::fputs("  no device code\n", out);
}

}  // namespace

const Printer kText = {file, unreadable, group, problem, end};

}  // namespace anycuda::device_code
