// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/machine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "compat/base/environment.h"
#include "compat/base/shortage.h"
#include "compat/search/machine/absent_names.h"

namespace anycuda {
namespace {

// Called, and not pointed at: the address of a function of libc is one more symbol to look up when
// a stub is loaded.
int walk_loaded_objects(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  return dl_iterate_phdr(visit, argument);
}

// The dynamic linker's messages, without an errno, if a mapping fails: memory has run out, or the
// file's volume or a filter forbids execution. (In English: few programs translate libc's
// messages.)
constexpr char kOfMappings[][40] = {"failed to map segment", "cannot map zero-fill pages",
                                    "cannot change memory protections"};

bool is_of_mappings(const char* error) {
  for (const auto& text : kOfMappings) {
    if (std::strstr(error, text) != nullptr) return true;
  }
  return false;
}

// Can the file be mapped now? Then the mapping that failed before met a temporary shortage.
void note_shortage_of_mappings(const char* path, const char* error) {
  struct stat status;
  const auto file = static_cast<int>(noted(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
  if (file < 0) return;
  if (noted(fstat(file, &status)) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const space = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    if (space == MAP_FAILED) {
      note_shortage(errno);
    } else {
      munmap(space, size);
      if (is_of_mappings(error)) note_shortage(EAGAIN);
    }
  }
  close(file);
}

std::atomic<AbsentNames::Place*> shared_places{nullptr};

}  // namespace

void share_absent_names(AbsentNames::Place* places) {
  shared_places.store(places, std::memory_order_release);
}

AbsentNames shared_absent_names() {
  return AbsentNames(shared_places.load(std::memory_order_acquire));
}

std::uint64_t AbsentNames::hash(const char* text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325;
  while (*text != '\0') hash = (hash ^ static_cast<unsigned char>(*text++)) * 0x100000001b3;
  return hash | 1;
}

bool AbsentNames::look(std::uint64_t name, bool adds) const {
  for (int i = 0; places_ != nullptr && i < kPlaces; ++i) {
    std::uint64_t other = places_[i].load(std::memory_order_relaxed);
    if (other == 0 && (!adds || places_[i].compare_exchange_strong(other, name))) return false;
    if (other == name) return true;
  }
  return false;
}

bool AbsentNames::note(std::uint64_t name, bool exists) const {
  if (!exists && (errno == ENOENT || errno == ENOTDIR)) add(name);
  return exists;
}

bool AbsentNames::find(const char* path, bool (*exists)(const char*)) const {
  if (path == nullptr) return false;
  const std::uint64_t name = name_of(path);
  errno = 0;  // it may exist, and be no folder
  return !has(name) && note(name, exists(path));
}

OpenResult open_shared_library(const char* path, int flags) {
  errno = 0;
  void* const handle = dlopen(path, flags);
  if (handle != nullptr) return {handle, nullptr};
  note_shortage(errno);  // malloc()'s, which not all messages have; the dynamic linker has its own
  const char* const text = dlerror();
  const char* const error = text != nullptr ? text : "no reason given";
  note_shortage(error);
  if ((flags & RTLD_NOLOAD) == 0) note_shortage_of_mappings(path, error);
  return {nullptr, error};
}

// One function, and not initial values in the header: those would be data with relocations.
Machine::Machine()
    : root(system_root),
      variable(environment_variable),
      start_path(library_path_of_start),
      privileged(is_privileged),
      loaded_objects(walk_loaded_objects),
      start_objects(anycuda::start_objects),
      interpreter(this_interpreter),
      open(open_shared_library),
      driver(nullptr),
      oldest_gpu(nullptr) {}

}  // namespace anycuda
