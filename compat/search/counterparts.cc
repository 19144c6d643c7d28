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
  const char* const whole = arena.format("%s/%s/lib%s", arena.copy(folder), below, soname);
  const bool found = gathered->absent.find(whole, is_entry);
  arena.rewind(mark);
  return found;
}

}  // namespace

const char* missing_counterpart(Gathered* gathered, const char* path, int major) {
  const std::string_view folder = folder_of(path);
  const std::string_view site = site_of(folder);
  const char* const shared = gathered->arena.format("nvidia/cu%d/lib", major);  // from 13 on
  const std::uint32_t own = toolkit_bit_of_stub(gathered->library().majors[0].soname);
  const std::uint32_t others = gathered->report.process.stubs & ~own;
  for (ToolkitLibrary library; library.valid(); ++library) {
    const char* const soname = library.soname(major);
    if ((others & library.bit()) == 0) continue;
    if (*soname == '\0' || has(gathered, folder, ".", soname)) continue;
    if (!site.empty() && (has(gathered, site, library.wheel_folder(), soname) ||
                          (shared != nullptr && has(gathered, site, shared, soname)))) {
      continue;
    }
    return gathered->arena.format("lib%s", soname);
  }
  return nullptr;
}

}  // namespace anycuda
