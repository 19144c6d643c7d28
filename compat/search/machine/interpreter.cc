#include "compat/search/machine/interpreter.h"

#include <errno.h>  // program_invocation_name
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "compat/base/environment.h"

namespace anycuda {
namespace {

const char* running_file(Arena* arena) {
  auto* path = static_cast<char*>(arena->take(PATH_MAX));
  if (path == nullptr || readlink("/proc/self/exe", path, PATH_MAX - 1) <= 0) return nullptr;
  return path;
}

// A guess at the name that the program was called by counts only if it leads to what runs: what
// lies in a folder by that name by chance is no place to look at.
bool leads_to(const char* path, const char* executable, Arena* arena) {
  const std::size_t mark = arena->mark();
  auto* real = static_cast<char*>(arena->take(PATH_MAX));
  const bool same = real != nullptr && path != nullptr && realpath(path, real) != nullptr &&
                    std::strcmp(real, executable) == 0;
  arena->rewind(mark);
  return same;
}

const char* find_in_path(const char* name, const char* executable, Arena* arena) {
  const char* entry = environment_variable("PATH");
  while (entry != nullptr && *entry != '\0') {
    const auto length = static_cast<int>(std::strcspn(entry, ":"));
    const char* path = arena->format("%.*s/%s", length, entry, name);
    if (*entry == '/' && leads_to(path, executable, arena)) return path;
    entry += length;
    if (*entry == ':') ++entry;
  }
  return nullptr;
}

// The absolute name that the program was called by, nullptr if it cannot be told.
const char* absolute_name(const char* executable, const char* name, Arena* arena) {
  if (std::strrchr(name, '/') == nullptr) return find_in_path(name, executable, arena);
  const char* path = name;
  if (*name != '/') {
    auto* here = static_cast<char*>(arena->take(PATH_MAX));
    path = here != nullptr && getcwd(here, PATH_MAX) != nullptr ? arena->join(here, name) : nullptr;
  }
  return leads_to(path, executable, arena) ? path : nullptr;
}

// PREFIX of PREFIX/bin/python3.
const char* prefix_of(const char* program, Arena* arena) {
  char* prefix = program != nullptr ? const_cast<char*>(arena->copy(program)) : nullptr;
  for (int level = 0; prefix != nullptr && level < 2; ++level) {
    char* slash = std::strrchr(prefix, '/');
    if (slash == nullptr || slash == prefix) return nullptr;
    *slash = '\0';
  }
  return prefix;
}

}  // namespace

Interpreter interpreter_of(const char* executable, const char* called, Arena* arena) {
  Interpreter interpreter;
  interpreter.executable = executable;
  const char* name = executable != nullptr ? std::strrchr(executable, '/') : nullptr;
  if (name == nullptr || std::strncmp(name + 1, "python", 6) != 0) return interpreter;
  if (std::strrchr(name, '.') != nullptr) interpreter.version = name + 1;
  interpreter.base_prefix = prefix_of(executable, arena);
  interpreter.prefix = prefix_of(absolute_name(executable, called, arena), arena);
  return interpreter;
}

Interpreter this_interpreter(Arena* arena) {
  return interpreter_of(running_file(arena), program_invocation_name, arena);
}

bool is_isolated(const char* prefix, Arena* arena) {
  const char* path = prefix != nullptr ? arena->join(prefix, "pyvenv.cfg") : nullptr;
  const int file = path != nullptr ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (file < 0) return false;
  char text[4096];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  const char* line = std::strstr(text, "include-system-site-packages");
  if (line == nullptr) return true;
  const std::size_t length = std::strcspn(line, "\n");
  const char* yes = strcasestr(line, "true");  // Python takes it in any case
  return yes == nullptr || yes > line + length;
}

}  // namespace anycuda
