// SPDX-License-Identifier: Apache-2.0
#include "compat/search/binding.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "compat/base/text_file.h"
#include "compat/search/elf/elf_reader.h"
#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
#else
constexpr std::uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
#endif

constexpr char kLibc[] = "libc.so.6";

// They cannot be unloaded, and precede all that the program loads later wherever a function is
// looked for.
struct SystemObjects {
  VersionedSymbols libc;
  VersionedSymbols linker;
  bool any = false;

  bool complete() const { return libc.has_hashes() && linker.has_hashes(); }
};

bool visit_object(const LoadedObject& object, void* argument) {
  auto* objects = static_cast<SystemObjects*>(argument);
  // The list begins with the program. In another namespace (dlmopen) it does not, and libc may come
  // after what is loaded later.
  const bool is_first = !objects->any;
  objects->any = true;
  if (is_first) return object.name == nullptr || *object.name != '\0';
  const char* const soname = object.names.soname();
  if (soname == nullptr) return false;
  const bool libc = std::strcmp(soname, kLibc) == 0;
  if (!libc && !is_linker(soname)) return false;
  VersionedSymbols& symbols = libc ? objects->libc : objects->linker;
  if (!symbols.has_hashes()) symbols = object.names.versioned_symbols();
  return objects->complete();
}

// A needed version, as the object has it that defines it.
struct Version {
  const VersionedSymbols* object = nullptr;
  std::uint16_t number = 0;
};

// By the number that the library gives it.
struct Versions {
  static constexpr int kMost = 64;
  Version known[kMost];

  bool has(std::uint16_t version, const char* name) const {
    if (version >= kMost || known[version].number == 0) return false;
    return known[version].object->defines(HashedName(name), known[version].number);
  }
};

bool has_all(const SystemObjects& system, ElfReader* image) {
  LateCalls calls;
  if (!image->needs_only_libc() || !image->read_late_calls(&calls)) return false;
  Versions versions;
  image->each_version_need(
      [&](const char* library, const char* version, std::uint32_t hash, std::uint16_t number) {
        const VersionedSymbols& object = is_linker(library) ? system.linker : system.libc;
        if (number >= Versions::kMost) return;
        versions.known[number] = {&object, object.version_number(version, hash)};
      });
  for (std::size_t i = 0; i < calls.count; ++i) {
    const std::uint64_t symbol = ELF64_R_SYM(calls.relocations[i].r_info);
    const bool is_jump_slot = ELF64_R_TYPE(calls.relocations[i].r_info) == kJumpSlot;
    if (!is_jump_slot && symbol == 0) continue;  // it is bound when the library is opened
    if (!is_jump_slot || symbol >= calls.symbol_count) return false;
    if (!versions.has(calls.versions[symbol], image->name_of(calls.symbols[symbol]))) return false;
  }
  return true;
}

}  // namespace

bool may_bind_lazily(const char* path, const Machine& machine, Arena* arena) {
  SystemObjects system;
  each_object(machine, visit_object, &system);
  if (!system.complete()) return false;
  const std::size_t mark = arena->mark();
  int file;
  struct stat status;
  int error;
  if (open_regular(path, &file, &status, &error) != TextState::read) return false;
  bool all = false;
  {
    ElfReader image(file, static_cast<std::size_t>(status.st_size), *arena);
    all = image.open() == FileState::usable && image.read_dynamic() == FileState::usable &&
          has_all(system, &image);
  }
  close(file);
  arena->rewind(mark);
  return all;
}

}  // namespace anycuda
