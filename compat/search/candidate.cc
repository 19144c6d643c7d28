// SPDX-License-Identifier: Apache-2.0
#include "compat/search/candidate.h"

#include <cstdio>
#include <cstring>

#include "compat/base/dotted_order.h"
#include "compat/base/folder_entries.h"
#include "compat/search/version/release_by_name.h"

namespace anycuda {

MajorsText format_majors(int first, int newest) {
  MajorsText text;
  const char* between = "";
  std::size_t used = 0;
  for (int major = first; used < sizeof text.text; ++major) {
    const int length =
        std::snprintf(text.text + used, sizeof text.text - used, "%s%d", between, major);
    if (length < 0 || major >= newest) break;
    used += static_cast<std::size_t>(length);
    between = major + 1 == newest ? " or " : ", ";
  }
  return text;
}

MajorsText majors_like(const LibraryDescriptor& library, int major) {
  return format_majors(major, library.newest_like(major));
}

Version known_version(const Candidate& candidate) {
  return candidate.toolkit.version.known() ? candidate.toolkit.version : candidate.image.version;
}

const char* file_version_of(Candidate* candidate, Arena* arena) {
  if (candidate->file_version != nullptr) return candidate->file_version;
  const char* real = real_path(candidate->path, arena);
  const char* version = real != nullptr ? std::strstr(std::strrchr(real, '/'), ".so.") : nullptr;
  candidate->file_version = version != nullptr ? version + 4 : "";
  return candidate->file_version;
}

bool is_newer_file(Candidate* file, Candidate* other, Arena* arena) {
  return compare_dotted(file_version_of(file, arena), file_version_of(other, arena)) > 0;
}

void read_toolkit_version(const LibraryDescriptor& library, Candidate* candidate, Arena* arena) {
  if (candidate->toolkit_read) return;
  candidate->toolkit_read = true;
  candidate->toolkit = read_release(library, candidate->path, arena, &candidate->image);
}

const char* describe_version(const LibraryDescriptor& library, const Candidate& candidate,
                             Arena* arena) {
  const ToolkitVersion& toolkit = candidate.toolkit;
  const Version symbols = candidate.image.version;
  const char* text = nullptr;
  if (library.is_driver) {  // libcuda.so.1 has the number 1 with every CUDA
    const Version supported = candidate.reported.version;
    text = supported.known() ? arena->format("a driver that supports up to CUDA %d.%d",
                                             supported.major, supported.minor)
                             : "a driver";
  } else if (toolkit.version.known()) {
    text = arena->format("CUDA %d.%d, says %s", toolkit.version.major, toolkit.version.minor,
                         toolkit.source);
  } else if (symbols.minor >= 0 && candidate.image.major_is_known()) {
    text = arena->format("CUDA %d.%d or later", symbols.major, symbols.minor);
  } else if (!symbols.known()) {
    text = "unknown CUDA";
  } else {
    text =
        arena->format("CUDA %s", format_majors(symbols.major, candidate.image.newest_major).text);
  }
  return text != nullptr ? text : "unknown CUDA: out of memory";
}

}  // namespace anycuda
