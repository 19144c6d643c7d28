// SPDX-License-Identifier: Apache-2.0
#include "loader/symbols/variables.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "loader/symbols/function.h"

namespace anycuda {
namespace {

// The memory that the dynamic linker made read-only after relocation, around an address.
struct ReadOnly {
  std::uintptr_t address;
  std::uintptr_t page;
  bool found = false;
};

int find_read_only(dl_phdr_info* info, std::size_t, void* argument) {
  auto* wanted = static_cast<ReadOnly*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    // As glibc rounds it.
    const std::uintptr_t start = (info->dlpi_addr + header.p_vaddr) & -wanted->page;
    const std::uintptr_t end = (info->dlpi_addr + header.p_vaddr + header.p_memsz) & -wanted->page;
    if (wanted->address >= start && wanted->address < end) wanted->found = true;
  }
  return wanted->found ? 1 : 0;
}

// A program's copy of a constant is in such memory.
void write(void* address, const void* value, std::size_t size) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  ReadOnly around{place, static_cast<std::uintptr_t>(getpagesize())};
  dl_iterate_phdr(find_read_only, &around);
  void* const start = reinterpret_cast<void*>(place & -around.page);
  const std::size_t length =
      ((place + size - 1) & -around.page) + around.page - (place & -around.page);
  if (around.found && mprotect(start, length, PROT_READ | PROT_WRITE) != 0) return;
  std::memcpy(address, value, size);
  if (around.found) mprotect(start, length, PROT_READ);
}

}  // namespace

void fill_variables(const VariableRow* rows, void* library) {
  for (const VariableRow* row = rows; row != nullptr && row->name != nullptr; ++row) {
    const void* const value = find_function(library, row->name);
    if (value == nullptr || std::memcmp(row->address, value, row->size) == 0) continue;
    write(row->address, value, row->size);
  }
}

}  // namespace anycuda
