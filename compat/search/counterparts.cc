// SPDX-License-Identifier: Apache-2.0
#include "compat/search/counterparts.h"

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/descriptor/toolkit_libraries.h"

namespace anycuda {
namespace {

// The site-packages folder of "SITE/nvidia/.../lib"; empty for another folder.
std::string_view site_of(std::string_view folder) {
  const std::string_view nvidia = folder_of(folder_of(folder));
  return text::ends(nvidia, "/nvidia") ? folder_of(nvidia) : std::string_view();
}

bool has(Gathered* gathered, std::string_view folder, const char* below, const char* soname) {
  Arena& arena = gathered->arena;
  const std::size_t mark = arena.mark();
  const char* const whole = arena.format("%s/%s/%s", arena.copy(folder), below, soname);
  const bool found = gathered->absent.find(whole, is_entry);
  arena.rewind(mark);
  return found;
}

}  // namespace

const char* missing_counterpart(Gathered* gathered, const char* path, int major) {
  const int own = toolkit_library_of(gathered->library().majors[0].soname);
  const std::uint32_t mine = own >= 0 ? std::uint32_t{1} << own : 0;
  const std::uint32_t others = gathered->report.process.stubs & ~mine;
  if (others == 0) return nullptr;
  const std::string_view folder = folder_of(path);
  const std::string_view site = site_of(folder);
  Arena& arena = gathered->arena;
  const char* const shared = arena.format("nvidia/cu%d/lib", major);  // from 13 on
  for (int i = 0; i < kToolkitLibraries; ++i) {
    const bool is_mapped = (others >> i & 1) != 0;
    const ToolkitFile file = toolkit_file(i, major);
    if (!is_mapped || *file.number == '\0') continue;
    const char* const soname = arena.format("lib%s.so.%s", file.stem, file.number);
    if (soname == nullptr || has(gathered, folder, ".", soname)) continue;
    if (!site.empty() && (has(gathered, site, file.wheel_folder, soname) ||
                          (shared != nullptr && has(gathered, site, shared, soname)))) {
      continue;
    }
    return soname;
  }
  return nullptr;
}

}  // namespace anycuda
