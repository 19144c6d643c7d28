// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/library_path.h"

#include <dlfcn.h>

#include <cstring>

#include "compat/search/machine/linker_tokens.h"

namespace anycuda {
namespace {

// The last ones are the linker's default folders, which the tier `system` has.
bool is_default(const char* folder) {
  return std::strncmp(folder, "/lib", 4) == 0 || std::strncmp(folder, "/usr/lib", 8) == 0;
}

std::string_view folder_of_program(const Machine& machine, const Interpreter* program,
                                   Arena* arena) {
  return origin_of(program != nullptr ? program->executable
                                      : machine.interpreter(arena).executable);
}

}  // namespace

const char* library_path_of_start(Arena* arena) {
  // The last object of the start is libc or the dynamic linker: neither has a run path.
  auto* const object = const_cast<link_map*>(start_objects().last);
  Dl_serinfo size;
  if (object == nullptr || dlinfo(object, RTLD_DI_SERINFOSIZE, &size) != 0) return nullptr;
  auto* const info = static_cast<Dl_serinfo*>(arena->take_raw(size.dls_size));
  if (info == nullptr) return nullptr;
  *info = size;
  if (dlinfo(object, RTLD_DI_SERINFO, info) != 0) return nullptr;
  unsigned count = size.dls_cnt;
  while (count > 0 && is_default(info->dls_serpath[count - 1].dls_name)) --count;
  const char* path = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    const char* const name = info->dls_serpath[i].dls_name;
    path = path != nullptr ? arena->format("%s:%s", path, name) : name;
  }
  return path;
}

void each_library_path_folder(const Machine& machine, const Interpreter* program, Arena* arena,
                              bool (*visit)(const char* path, bool begins, void* argument),
                              void* argument) {
  const char* entry = machine.variable("LD_LIBRARY_PATH");
  if (entry == nullptr && !machine.privileged()) entry = machine.start_path(arena);
  const bool has_tokens = entry != nullptr && std::strrchr(entry, '$') != nullptr;
  const std::string_view origin =
      has_tokens ? folder_of_program(machine, program, arena) : std::string_view();
  bool begins = true;
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":;");
    const char* end = entry + length;
    const std::size_t mark = arena->mark();
    const char* path = expand_linker_tokens({entry, length}, origin, arena);
    // Relative and empty entries mean the current directory. A million of them must not take the
    // memory that the next tiers need.
    if (path != nullptr && *path == '/') {
      if (!visit(path, begins, argument)) return;
      begins = false;
    } else {
      arena->rewind(mark);
    }
    entry = *end != '\0' ? end + 1 : nullptr;
  }
}

}  // namespace anycuda
