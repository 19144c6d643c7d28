// SPDX-License-Identifier: Apache-2.0

// A line for each file, group of entries and problem. Numbers are as the file has them.
#include <cinttypes>

#include "device_code/program/print.h"
#include "device_code/unpack.h"

namespace anycuda::device_code {
namespace {

void put_string(const char* text, std::FILE* out) {
  std::fputc('"', out);
  for (; *text != '\0'; ++text) {
    const auto byte = static_cast<unsigned char>(*text);
    if (byte < ' ' || byte == '"' || byte == '\\') {
      std::fprintf(out, "\\u%04x", byte);
    } else {
      std::fputc(byte, out);
    }
  }
  std::fputc('"', out);
}

void put_version(const char* name, Version version, std::FILE* out) {
  if (version.known()) std::fprintf(out, ", \"%s\": [%d, %d]", name, version.major, version.minor);
}

void file(const char* path, std::FILE* out) {
  std::fputs("{\"file\": ", out);
  put_string(path, out);
  std::fputs("}\n", out);
}

void unreadable(const char* path, const char* why, std::FILE* out) {
  std::fputs("{\"file\": ", out);
  put_string(path, out);
  std::fputs(", \"unreadable\": ", out);
  put_string(why, out);
  std::fputs("}\n", out);
}

void group(const Group& group, std::FILE* out) {
  const Entry& entry = group.about;
  std::fprintf(out, "{\"code\": %u, \"architecture\": %u", static_cast<unsigned>(entry.kind),
               static_cast<unsigned>(entry.architecture));
  if (entry.target != 0) std::fprintf(out, ", \"target\": \"%c\"", entry.target);
  put_version("format", entry.format, out);
  put_version("toolkit", entry.toolkit, out);
  std::fprintf(out, ", \"compression\": \"%s\", \"plain_data\": %s", name_of(entry.compression),
               entry.plain_data ? "true" : "false");
  if (entry.concatenated) std::fputs(", \"concatenated\": true", out);
  if (!unpacks(entry.compression) && entry.kind == Kind::cubin) {
    std::fputs(", \"undecompressed\": true", out);
  }
  std::fprintf(out, ", \"entries\": %" PRIu64 ", \"stored\": %" PRIu64 ", \"unpacked\": %" PRIu64,
               group.entries, entry.stored, entry.unpacked);
  std::fprintf(out, ", \"offset\": %" PRIu64 "}\n", entry.offset);
}

void problem(const Problem& problem, std::FILE* out) {
  std::fputs("{\"problem\": ", out);
  put_string(problem.what, out);
  std::fprintf(out, ", \"offset\": %" PRIu64 "}\n", problem.offset);
}

void end(FileKind kind, std::uint64_t entries, std::FILE* out) {
  std::fprintf(out, "{\"kind\": \"%s\", \"entries\": %" PRIu64 "}\n", name_of(kind), entries);
}

}  // namespace

const Printer kJson = {file, unreadable, group, problem, end};

}  // namespace anycuda::device_code
