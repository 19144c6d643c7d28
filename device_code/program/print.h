// SPDX-License-Identifier: Apache-2.0

// What a file holds, in lines: JSON for programs, or text for people.
#pragma once

#include <cstdio>

#include "device_code/program/groups.h"
#include "device_code/reader.h"

namespace anycuda::device_code {

const char* name_of(FileKind kind);
const char* name_of(Compression compression);

struct Printer {
  void (*file)(const char* path, std::FILE* out);
  void (*unreadable)(const char* path, const char* why, std::FILE* out);
  void (*group)(const Group& group, std::FILE* out);
  void (*problem)(const Problem& problem, std::FILE* out);
  void (*end)(FileKind kind, std::uint64_t entries, std::FILE* out);
};

extern const Printer kJson;
extern const Printer kText;

}  // namespace anycuda::device_code
