// SPDX-License-Identifier: Apache-2.0

// A stub opens its library at the first call. A program that needs it earlier, for the order of
// destructors at exit (docs/exit.md), makes the stub open it at load time: with ANYCUDA_OPEN=load,
// or by defining the symbol anycuda_open_at_load in the program or one of its libraries.
//
// The stub of a library with variables (variables.h) always opens it at load time.
//
// Every start pays for reading each variable once, for the linker's look-up of that symbol, and for
// joining the other copies of the stub (stub_copies.h).
#include <elf.h>
#include <link.h>

#include <cstring>

#include "compat/base/environment.h"
#include "compat/base/log.h"
#include "compat/search/machine/loaded.h"
#include "loader/open.h"
#include "loader/stub_copies.h"
#include "loader/symbols/variables.h"

extern "C" __attribute__((weak, visibility("default"))) const char anycuda_open_at_load[];

namespace anycuda {
namespace {

bool is_wanted() {
  if (anycuda_fill_variables != nullptr) return true;
  const char* setting = environment_variable("ANYCUDA_OPEN");
  if (setting == nullptr) return anycuda_open_at_load != nullptr;
  if (std::strcmp(setting, "load") == 0) return true;
  log_line(LogLevel::error,
           "%s: invalid ANYCUDA_OPEN=%.300s: expected load; default: the library is opened at the "
           "first call",
           kLibrary.name, setting);
  return anycuda_open_at_load != nullptr;
}

// The first object that needs this stub: it stands for the caller.
struct Caller {
  const char* stub;
  const void* address = nullptr;
  int symbol_version = kUnversioned;
};

int symbol_version_named(const char* name) {
  for (int i = 0; name != nullptr && i < kLibrary.major_count; ++i) {
    const char* version = kLibrary.majors[i].symbol_version;
    if (version != nullptr && std::strcmp(version, name) == 0) return i + 1;
  }
  if (name != nullptr && kLibrary.is_earlier(name)) return 1;
  return kUnversioned;
}

int visit_caller(dl_phdr_info* info, std::size_t, void* argument) {
  auto* caller = static_cast<Caller*>(argument);
  const char* version = nullptr;
  if (!LoadedNames(*info).needs(caller->stub, &version)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    caller->address = reinterpret_cast<const void*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  }
  caller->symbol_version = symbol_version_named(version);
  return 1;
}

// Runs before the other constructors of the program or library that the archive is linked into.
__attribute__((constructor(101))) void at_load() {
  join_process();
  if (!is_wanted()) return;
  Caller caller{is_static_stub() ? nullptr : object_of(&kLibrary).names.own_names().soname};
  if (caller.stub != nullptr) dl_iterate_phdr(visit_caller, &caller);
  // Preloaded, or linked into its caller: the stub itself is treated as the caller.
  if (caller.address == nullptr) caller.address = &kLibrary;
  // A drop-in and an archive serve one major, for every caller.
  const int own = kTables.slots[0].symbol_version;
  open_silently(own != kUnversioned ? own : caller.symbol_version, caller.address);
}

}  // namespace
}  // namespace anycuda
