// SPDX-License-Identifier: Apache-2.0
#include "loader/process/process_records.h"

#include <cerrno>
#include <new>

#include "compat/base/reserve.h"
#include "compat/base/shortage.h"

namespace anycuda {
namespace {

// For the first records of a file, which stays loaded: each mapping would be a whole page.
alignas(16) char own_memory[4096];
std::atomic<std::size_t> own_used{0};

bool is_own(const void* memory) {
  return memory >= own_memory && memory < own_memory + sizeof own_memory;
}

}  // namespace

void* lasting_memory(std::size_t size) {
  const std::size_t rounded = (size + 15) / 16 * 16;
  if (!is_static_stub() && rounded <= sizeof own_memory) {
    const std::size_t start = own_used.fetch_add(rounded, std::memory_order_relaxed);
    if (start <= sizeof own_memory - rounded) return own_memory + start;
  }
  void* const pages = map_pages(size);
  if (pages == nullptr) note_shortage(ENOMEM);
  return pages;
}

void release(void* memory, std::size_t size) {
  if (!is_own(memory)) munmap(memory, size);
}

ProcessRecord* add_record(Process* process, ProcessRecord* mine,
                          bool (*is_same)(const ProcessRecord& there)) {
  std::atomic<ProcessRecord*>* place = &process->first;
  for (;;) {
    ProcessRecord* there = nullptr;
    if (place->compare_exchange_strong(there, mine, std::memory_order_seq_cst)) return mine;
    if (is_same(*there)) return there;
    place = &there->next;
  }
}

ProcessRecord* new_record(RecordKind kind, std::size_t size) {
  void* const memory = lasting_memory(size);
  if (memory == nullptr) return nullptr;
  return new (memory) ProcessRecord{nullptr, static_cast<std::uint32_t>(size), kind};
}

}  // namespace anycuda
