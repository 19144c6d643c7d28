// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/start_objects.h"

#include <sys/auxv.h>

#include <atomic>
#include <cstring>

#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

using FindObject = int (*)(void* address, FoundObject* result);
int find_nothing(void*, FoundObject*) { return -1; }

const void* symbol_of(const LoadedNames& names, const char* name) {
  return names.address_of(name, gnu_hash(name));
}

// The kernel tells where the dynamic linker is, unless the linker was started as the program.
const link_map* program_object() {
  const ElfW(Addr) base = getauxval(AT_BASE);
  if (base == 0) return nullptr;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
  dl_phdr_info linker = {};
  linker.dlpi_addr = base;
  linker.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  linker.dlpi_phnum = header->e_phnum;
  const auto* debug = static_cast<const r_debug*>(symbol_of(LoadedNames(linker), "_r_debug"));
  return debug != nullptr ? debug->r_map : nullptr;
}

bool has_soname(const LoadedNames& names, const char* wanted) {
  const char* const soname = names.soname();
  return soname != nullptr && std::strcmp(soname, wanted) == 0;
}

// Looked up once. Threads that do it at the same time store the same.
std::atomic<const link_map*> first{nullptr};
std::atomic<const link_map*> libc{nullptr};
std::atomic<const link_map*> last{nullptr};  // stored after the others

void look_up_start_objects() {
  const ElfW(Addr) linker = getauxval(AT_BASE);
  const link_map* object = program_object();
  first.store(object, std::memory_order_relaxed);
  bool has_libc = false;
  bool has_linker = false;
  for (; object != nullptr; object = next_object(*object)) {
    has_linker = has_linker || object->l_addr == linker;
    const LoadedNames names(*object);
    if (!has_libc && !is_vdso(*object) && has_soname(names, "libc.so.6")) {
      has_libc = true;
      // Another namespace has another libc.
      if (symbol_of(names, "getauxval") != reinterpret_cast<const void*>(&getauxval)) return;
      libc.store(object, std::memory_order_relaxed);
    }
    if (!has_libc || !has_linker) continue;
    last.store(object, std::memory_order_release);
    return;
  }
}

FindObject look_up_find_object() {
  constexpr char kName[] = "_dl_find_object";
  const bool is_known = start_objects().last != nullptr;
  const void* const found =
      is_known ? symbol_of(LoadedNames(*libc.load(std::memory_order_relaxed)), kName)
               : loaded_symbol(kName);
  return found != nullptr ? reinterpret_cast<FindObject>(const_cast<void*>(found)) : find_nothing;
}

}  // namespace

bool is_vdso(const link_map& object) {
  constexpr char kName[] = "linux-vdso";
  return *object.l_name == *kName && std::strncmp(object.l_name, kName, sizeof kName - 1) == 0;
}

StartObjects start_objects() {
  if (last.load(std::memory_order_acquire) == nullptr) look_up_start_objects();
  const link_map* const end = last.load(std::memory_order_acquire);
  return {end != nullptr ? first.load(std::memory_order_relaxed) : nullptr, end};
}

// Looked up, and not linked: a stub that is built here may run with an older glibc.
const FoundObject* object_at(ElfW(Addr) address, FoundObject* found) {
  static std::atomic<FindObject> kept{nullptr};
  FindObject find = kept.load(std::memory_order_relaxed);
  if (find == nullptr) find = look_up_find_object();
  kept.store(find, std::memory_order_relaxed);
  // It succeeds without an object while that is being unloaded.
  const bool is_known = find(reinterpret_cast<void*>(address), found) == 0;
  return is_known && found->object != nullptr ? found : nullptr;
}

}  // namespace anycuda
