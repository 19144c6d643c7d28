// SPDX-License-Identifier: Apache-2.0
#include "loader/symbols/loaded_symbol.h"

#include <link.h>

#include "compat/search/machine/loaded_names.h"

namespace anycuda {
namespace {

struct Visit {
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
  const void* symbol = LoadedNames(*info).address_of(visit->name, visit->hash);
  if (symbol == nullptr || !visit->fits(symbol)) return 0;
  visit->found = symbol;
  return 1;
}

// Which of the two is in the object that was loaded first, or, in one object, the second?
struct Order {
  ElfW(Addr) one;
  ElfW(Addr) other;
  bool one_is_first;
};

int visit_either(dl_phdr_info* info, std::size_t, void* argument) {
  auto* order = static_cast<Order*>(argument);
  if (holds(*info, order->other)) return 1;
  order->one_is_first = holds(*info, order->one);
  return static_cast<int>(order->one_is_first);
}

}  // namespace

const void* symbol_loaded_before(const void* end, const char* name, bool (*fits)(const void*)) {
  Visit visit{name, gnu_hash(name), fits, nullptr};
  dl_iterate_phdr(visit_object, &visit);
  // Nearly always the only such symbol is that of the object that holds `end`.
  if (visit.found == nullptr || visit.found == end) return nullptr;
  Order order{reinterpret_cast<ElfW(Addr)>(visit.found), reinterpret_cast<ElfW(Addr)>(end), false};
  dl_iterate_phdr(visit_either, &order);
  return order.one_is_first ? visit.found : nullptr;
}

}  // namespace anycuda
