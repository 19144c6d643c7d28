// SPDX-License-Identifier: Apache-2.0

// What the copies of anycuda's stubs in a process know together (docs/copies.md): a list of records
// that only grows. The list begins in a variable which the dynamic linker makes unique in the
// process. A record is complete before it is linked in, in one compare-and-swap, so no thread and
// no forked child ever waits for another. It stays as it is for ever.
//
// Copies of other versions read these structures: only docs/copies.md may change them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// 1 in a static stub.
extern "C" __attribute__((visibility("hidden"))) const std::uint32_t anycuda_is_static;

namespace anycuda {

inline bool is_static_stub() { return anycuda_is_static != 0; }

enum class RecordKind : std::uint32_t { copy = 1, leader = 2, choice = 3, absent = 4 };

struct ProcessRecord {
  std::atomic<ProcessRecord*> next;
  std::uint32_t size;  // of the whole record, in bytes
  RecordKind kind;
};

// The variable anycudaProcess2 (stubs/tools/generate/copy_table.py), all zero at first.
struct Process {
  std::atomic<ProcessRecord*> first;
  std::uint64_t reserved[7];
};
static_assert(sizeof(Process) == 64);

// Appends `mine` unless the list has a record for which is_same() is true. Returns that one, or
// `mine`.
ProcessRecord* add_record(Process* process, ProcessRecord* mine,
                          bool (*is_same)(const ProcessRecord& there));

// Zeroed memory for the rest of the process, aligned to 16; nullptr without memory.
void* lasting_memory(std::size_t size);
// For memory that is not needed after all.
void release(void* memory, std::size_t size);

// Memory for a record of that size, zeroed but for its head; nullptr without memory.
ProcessRecord* new_record(RecordKind kind, std::size_t size);
// For a record that has not been added.
inline void release(ProcessRecord* record) { release(record, record->size); }

}  // namespace anycuda
