#include "compat/base/folder_entries.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "compat/base/arena.h"
#include "compat/base/shortage.h"

namespace anycuda {

const char* current_folder(Arena* arena) {
  auto* path = static_cast<char*>(arena->take_raw(PATH_MAX));
  return path != nullptr ? getcwd(path, PATH_MAX) : nullptr;
}

bool is_folder(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_world_writable(const char* folder) {
  struct stat status;
  return stat(folder, &status) != 0 || (status.st_mode & S_IWOTH) != 0;
}

bool each_entry(const char* folder, const char* prefix, void (*visit)(const char*, void*),
                void* argument) {
  DIR* stream = opendir(folder);
  if (stream == nullptr) {
    note_shortage(errno);
    return false;
  }
  const std::size_t length = std::strlen(prefix);
  while (const dirent* entry = readdir(stream)) {
    if (std::strncmp(entry->d_name, prefix, length) == 0) visit(entry->d_name, argument);
  }
  closedir(stream);
  return true;
}

}  // namespace anycuda
