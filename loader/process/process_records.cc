// SPDX-License-Identifier: Apache-2.0
#include "loader/process/process_records.h"

#include <cerrno>
#include <new>

#include "compat/base/reserve.h"
#include "compat/base/shortage.h"

namespace anycuda {

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
  void* const pages = map_pages(size);
  if (pages == nullptr) {
    note_shortage(ENOMEM);
    return nullptr;
  }
  return new (pages) ProcessRecord{nullptr, static_cast<std::uint32_t>(size), kind};
}

void release(ProcessRecord* record) { munmap(record, record->size); }

}  // namespace anycuda
