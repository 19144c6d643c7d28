// SPDX-License-Identifier: Apache-2.0
#include "loader/stub_copies.h"

#include <cstring>

#include "compat/base/gnu_hash.h"
#include "compat/base/log.h"
#include "compat/search/machine/absent_names.h"
#include "compat/search/machine/loaded.h"
#include "loader/tables.h"

namespace anycuda {

std::atomic<const CopyTable*> logging_copy{nullptr};

namespace {

struct CopyRecord {  // of the kinds copy and leader
  ProcessRecord record;
  const CopyTable* table;
};
struct ChoiceRecord {
  ProcessRecord record;
  std::int32_t major;
  std::int32_t minor;  // -1: unknown
  std::int32_t tier;
  std::uint32_t library;  // where in the record its name begins
  std::uint32_t path;
  std::uint32_t reserved;
  void* handle;           // of dlopen(), never closed
  const CopyTable* copy;  // that has chosen; nullptr: a static stub
  char text[1];
};

struct AbsentRecord {
  ProcessRecord record;
  AbsentNames::Place places[AbsentNames::kPlaces];
};

const CopyTable& table_of(const ProcessRecord& record) {
  return *reinterpret_cast<const CopyRecord&>(record).table;
}

const char* library_of(const ProcessRecord& record) {
  if (record.kind == RecordKind::choice) {
    const auto& choice = reinterpret_cast<const ChoiceRecord&>(record);
    return reinterpret_cast<const char*>(&choice) + choice.library;
  }
  const CopyTable& table = table_of(record);
  return reinterpret_cast<const char*>(&table.library) + table.library;
}

bool is_of_library(const ProcessRecord& record, RecordKind kind) {
  return record.kind == kind &&
         (kind == RecordKind::absent || std::strcmp(library_of(record), kLibrary.name) == 0);
}

// The first record of that kind for this library (of the kind absent, for all), from that place on;
// nullptr: the list has none.
const ProcessRecord* find(const std::atomic<ProcessRecord*>& place, RecordKind kind) {
  const ProcessRecord* record = place.load(std::memory_order_seq_cst);
  while (record != nullptr && !is_of_library(*record, kind)) {
    record = record->next.load(std::memory_order_seq_cst);
  }
  return record;
}

// ---- the process's list

constexpr char kCopyName[] = "anycudaCopy2";

// A copy that is being loaded has no address there yet.
bool visit_object(const LoadedObject& object, void* argument) {
  static constexpr std::uint32_t kHash = gnu_hash(kCopyName);
  const void* const symbol = object.names.address_of(kCopyName, kHash);
  const auto* const copy = static_cast<const CopyTable*>(symbol);
  if (copy == nullptr || copy->protocol != kCopyProtocol || copy->process == nullptr) {
    return false;
  }
  // Before the first file has joined, its loading may still fail, and unload it.
  if (copy->process->first.load(std::memory_order_acquire) == nullptr) return false;
  *static_cast<Process**>(argument) = copy->process;
  return true;
}

// Of a static stub without any file of anycuda beside it, or of a file before it is relocated.
Process alone;

// A static stub decides once, at its first call.
std::atomic<Process*> found_process{nullptr};

Process* process() {
  if (!is_static_stub()) return anycuda_copy.process != nullptr ? anycuda_copy.process : &alone;
  Process* known = found_process.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  Process* found = &alone;
  each_object(Machine(), visit_object, &found);
  return found_process.compare_exchange_strong(known, found, std::memory_order_acq_rel) ? found
                                                                                        : known;
}

// ---- the copies

std::atomic<const CopyTable*> leading{nullptr};  // nullptr: not decided

bool is_this_copy(const ProcessRecord& record) {
  return record.kind == RecordKind::copy && &table_of(record) == &anycuda_copy;
}

// False without memory.
bool add_this_copy(Process* process) {
  ProcessRecord* const mine = new_record(RecordKind::copy, sizeof(CopyRecord));
  if (mine == nullptr) return false;
  reinterpret_cast<CopyRecord*>(mine)->table = &anycuda_copy;
  if (add_record(process, mine, is_this_copy) != mine) release(mine);
  return true;
}

const CopyTable* first_file(const Process& process) {
  const ProcessRecord* const first = find(process.first, RecordKind::copy);
  return first != nullptr ? &table_of(*first) : &anycuda_copy;
}

// The newest that can serve; if several are, the one that was loaded first. Without one that can
// serve, the first.
const CopyTable* newest_file(const Process& process) {
  const CopyTable* newest = nullptr;
  const ProcessRecord* record = find(process.first, RecordKind::copy);
  for (; record != nullptr; record = find(record->next, RecordKind::copy)) {
    const CopyTable& copy = table_of(*record);
    const bool can_serve = function_of<copy_functions::Serve>(copy) != nullptr;
    if (can_serve && (newest == nullptr || copy.version > newest->version)) newest = &copy;
  }
  return newest != nullptr ? newest : first_file(process);
}

bool is_absent(const ProcessRecord& record) { return record.kind == RecordKind::absent; }
bool is_leader(const ProcessRecord& record) { return is_of_library(record, RecordKind::leader); }

// nullptr without memory.
const CopyTable* decide_leader(Process* process, const CopyTable* newest) {
  const ProcessRecord* record = find(process->first, RecordKind::leader);
  if (record != nullptr) return &table_of(*record);
  // A static stub leads only itself.
  if (newest == &anycuda_copy && is_static_stub()) return newest;
  ProcessRecord* const mine = new_record(RecordKind::leader, sizeof(CopyRecord));
  if (mine == nullptr) return nullptr;
  reinterpret_cast<CopyRecord*>(mine)->table = newest;
  record = add_record(process, mine, is_leader);
  if (record != mine) release(mine);
  return &table_of(*record);
}

}  // namespace

void join_process() {
  const CopyTable* first = &anycuda_copy;
  if (!is_static_stub()) {
    // The leader cannot change the slots of a copy that it does not know.
    if (!add_this_copy(process())) function_of<copy_functions::TakeSlots>(anycuda_copy)();
    first = first_file(*process());
  }
  logging_copy.store(first, std::memory_order_release);
}

const CopyTable* leading_copy() {
  const CopyTable* copy = leading.load(std::memory_order_acquire);
  if (copy != nullptr) return copy;
  if (logging_copy.load(std::memory_order_acquire) == nullptr) join_process();
  const CopyTable* const newest = newest_file(*process());
  copy = decide_leader(process(), newest);
  if (copy == nullptr) return newest;  // the next call decides
  leading.store(copy, std::memory_order_release);
  return copy;
}

const CopyTable* serving_copy() {
  const CopyTable* const leader = leading_copy();
  const bool is_later = leader != &anycuda_copy && leader->version > anycuda_copy.version;
  return is_later && function_of<copy_functions::Serve>(*leader) != nullptr ? leader : nullptr;
}

void* function_of(const CopyTable& copy, int number) {
  const std::int32_t* entry = &copy.functions[number];
  const std::size_t end = offsetof(CopyTable, functions) + sizeof *entry * (number + 1);
  if (copy.size < end || *entry == 0) return nullptr;
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(entry) + *entry);
}

namespace {

void* function_of_other(const CopyTable* copy, int number) {
  return copy != &anycuda_copy ? function_of(*copy, number) : nullptr;
}

}  // namespace

void* function_of_leader(int number) { return function_of_other(leading_copy(), number); }
void* function_of_logging(int number) {
  if (logging_copy.load(std::memory_order_acquire) == nullptr) join_process();
  return function_of_other(logging_copy.load(std::memory_order_acquire), number);
}

void* function_of_first_file(int number) {
  return function_of_other(first_file(*process()), number);
}

void take_slots_of_copies() {
  const ProcessRecord* record = find(process()->first, RecordKind::copy);
  for (; record != nullptr; record = find(record->next, RecordKind::copy)) {
    auto* const take = function_of<copy_functions::TakeSlots>(table_of(*record));
    if (!is_this_copy(*record) && take != nullptr) take();
  }
}

// ---- the choice

namespace {

const Opened* adopt(const ChoiceRecord& choice, bool* is_new) {
  const char* const start = reinterpret_cast<const char*>(&choice);
  return adopt_library(choice.handle, {choice.major, choice.minor}, start + choice.path, is_new);
}

bool is_choice(const ProcessRecord& record) { return is_of_library(record, RecordKind::choice); }
const ChoiceRecord& as_choice(const ProcessRecord& record) {
  return reinterpret_cast<const ChoiceRecord&>(record);
}

// As records have it: nothing points to a static stub.
const CopyTable* own_table() { return is_static_stub() ? nullptr : &anycuda_copy; }

ProcessRecord* record_of(const Found& found) {
  const std::size_t name = std::strlen(kLibrary.name) + 1;
  const std::size_t path = std::strlen(found.path) + 1;
  constexpr std::size_t kText = offsetof(ChoiceRecord, text);
  ProcessRecord* const record = new_record(RecordKind::choice, kText + name + path);
  if (record == nullptr) return nullptr;
  auto* const choice = reinterpret_cast<ChoiceRecord*>(record);
  choice->major = found.version.major;
  choice->minor = found.version.minor;
  choice->tier = found.tier;
  choice->library = kText;
  choice->path = static_cast<std::uint32_t>(kText + name);
  choice->handle = found.handle;
  choice->copy = own_table();
  char* const text = reinterpret_cast<char*>(record) + kText;
  std::memcpy(text, kLibrary.name, name);
  std::memcpy(text + name, found.path, path);
  return record;
}

}  // namespace

const Opened* join_choice() {
  const ProcessRecord* const record = find(process()->first, RecordKind::choice);
  if (record == nullptr) return nullptr;
  const ChoiceRecord& choice = as_choice(*record);
  bool is_new = false;
  const Opened* const library = adopt(choice, &is_new);
  // Another thread may have made it the choice a moment ago, through this copy.
  if (is_new && choice.copy != own_table()) {
    log_line(LogLevel::info, "%s: using %s, which another anycuda stub of this process has chosen",
             kLibrary.name, library->path);
  }
  return library;
}

const Opened* choose_for_all_copies(const Found& found, bool* is_new) {
  ProcessRecord* const mine = record_of(found);
  if (mine == nullptr) return nullptr;
  const ProcessRecord* const record = add_record(process(), mine, is_choice);
  bool is_adopted = false;
  const Opened* const library = adopt(as_choice(*record), &is_adopted);
  *is_new = record == mine;
  if (record != mine) release(mine);
  return library;
}

void share_absent_names() {
  ProcessRecord* record = const_cast<ProcessRecord*>(find(process()->first, RecordKind::absent));
  if (record == nullptr && !is_static_stub()) {
    ProcessRecord* const mine = new_record(RecordKind::absent, sizeof(AbsentRecord));
    if (mine == nullptr) return;
    record = add_record(process(), mine, is_absent);
    if (record != mine) release(mine);
  }
  if (record == nullptr || record->size < sizeof(AbsentRecord)) return;
  share_absent_names(reinterpret_cast<AbsentRecord*>(record)->places);
}

}  // namespace anycuda
