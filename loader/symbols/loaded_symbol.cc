// SPDX-License-Identifier: Apache-2.0
#include "loader/symbols/loaded_symbol.h"

#include <link.h>

#include "compat/search/machine/loaded_names.h"

namespace anycuda {
namespace {

struct Visit {
  ElfW(Addr) end;
  const char* name;
  std::uint32_t hash;
  bool (*fits)(const void*);
  const void* found;
};

bool holds(const dl_phdr_info& info, ElfW(Addr) address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    // An address before the segment wraps round, and is far behind its end.
    if (segment.p_type != PT_LOAD) continue;
    if (address - (info.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return true;
  }
  return false;
}

int visit_object(dl_phdr_info* info, std::size_t, void* argument) {
  auto* visit = static_cast<Visit*>(argument);
  if (holds(*info, visit->end)) return 1;
  const void* symbol = LoadedNames(*info).address_of(visit->name, visit->hash);
  if (symbol == nullptr || !visit->fits(symbol)) return 0;
  visit->found = symbol;
  return 1;
}

}  // namespace

const void* symbol_loaded_before(const void* end, const char* name, bool (*fits)(const void*)) {
  Visit visit{reinterpret_cast<ElfW(Addr)>(end), name, gnu_hash(name), fits, nullptr};
  dl_iterate_phdr(visit_object, &visit);
  return visit.found;
}

}  // namespace anycuda
