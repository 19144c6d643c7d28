// SPDX-License-Identifier: Apache-2.0
#include "loader/stub_copies.h"

#include <dlfcn.h>

#include "compat/base/log.h"
#include "compat/base/process_start.h"
#include "compat/search/machine/loaded.h"
#include "loader/symbols/loaded_symbol.h"
#include "loader/tables.h"

namespace anycuda {

std::atomic<const CopyTable*> leading_copy{nullptr};

namespace {

constexpr int kMostMembers = 32;
std::atomic<const CopyTable*> members[kMostMembers];

template <typename Function>
typename Function::Type* get(const CopyTable& copy) {
  return reinterpret_cast<typename Function::Type*>(function_of(copy, Function::kNumber));
}

bool knows_protocol(const CopyTable& copy) {
  return copy.protocol == kCopyProtocol && get<copy_functions::Join>(copy) != nullptr;
}

const CopyTable* first_copy() {
  const auto* found = static_cast<const CopyTable*>(symbol_loaded_before(
      &anycuda_copy, anycuda_copy_name,
      [](const void* copy) { return knows_protocol(*static_cast<const CopyTable*>(copy)); }));
  return found != nullptr ? found : &anycuda_copy;
}

// The leader keeps the address of this copy's table. A static stub is in an object that the program
// may close, so this copy opens the object once more, and never closes it. A stub's own file stays
// loaded, and so do the objects that the process starts with. (The object is not the program
// itself: that is the first object, whose copy leads.)
bool stays_loaded() {
  if (!process_has_started()) return true;
  const LoadedObject own = object_of(&anycuda_copy);
  constexpr int kFlags = RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE;
  return own.names.is_permanent() || open_shared_library(own.name, kFlags).handle != nullptr;
}

bool join(const CopyTable& leader) {
  return stays_loaded() && get<copy_functions::Join>(leader)(&anycuda_copy) != 0;
}

const CopyTable* find_leading_copy() {
  const CopyTable* leader = first_copy();
  // Join first: from then on the leader can change every slot that this copy fills. Every thread
  // that reaches this point joins.
  if (leader != &anycuda_copy && !join(*leader)) get<copy_functions::TakeSlots>(anycuda_copy)();
  leading_copy.store(leader, std::memory_order_release);
  return leader;
}

}  // namespace

void* function_of(const CopyTable& copy, int number) {
  const std::int32_t* entry = &copy.functions[number];
  const std::size_t end = offsetof(CopyTable, functions) + sizeof *entry * (number + 1);
  if (copy.size < end || *entry == 0) return nullptr;
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(entry) + *entry);
}

void* find_function_of_leader(int number) {
  const CopyTable* leader = leading_copy.load(std::memory_order_acquire);
  if (leader == nullptr) leader = find_leading_copy();
  return leader != &anycuda_copy ? function_of(*leader, number) : nullptr;
}

void take_slots_of_members() {
  for (const auto& place : members) {
    const CopyTable* member = place.load(std::memory_order_seq_cst);
    if (member == nullptr) return;
    if (auto* take = get<copy_functions::TakeSlots>(*member)) take();
  }
}

const Opened* join_choice() {
  const auto chosen = of_leader<copy_functions::Chosen>();
  Choice choice{sizeof choice, 0, 0, 0, nullptr, nullptr};
  if (chosen == nullptr || chosen(&choice) != 1) return nullptr;
  bool is_new = false;
  const Opened* library = adopt_library(choice, &is_new);
  if (is_new) {
    log_line(LogLevel::info, "%s: using %s, which another anycuda stub of this process has chosen",
             kLibrary.name, library->path);
  }
  return library;
}

const Opened* adopt_for_all_copies(const Choice& found, bool* is_new) {
  Choice choice = found;
  const auto offer = of_leader<copy_functions::Offer>();
  const int answer = offer != nullptr ? offer(&choice) : 1;
  if (answer < 0) return nullptr;
  const Opened* library = adopt_library(choice, is_new);
  if (answer == 0) *is_new = false;
  return library;
}

}  // namespace anycuda

namespace {

// Without memcpy: another copy may ask this one before the dynamic linker has relocated it.
int write_choice(const anycuda::Opened& library, anycuda::Choice* out) {
  if (out->size < sizeof *out) return 0;
  out->major = library.version.major;
  out->minor = library.version.minor;
  out->reserved = 0;
  out->handle = library.handle;
  out->path = library.path;
  return 1;
}

}  // namespace

#define ANYCUDA_COPY extern "C" __attribute__((visibility("hidden")))

ANYCUDA_COPY int anycuda_copy_chosen(anycuda::Choice* choice) {
  const anycuda::Opened* library = anycuda::opened_library();
  return library != nullptr ? write_choice(*library, choice) : 0;
}

ANYCUDA_COPY int anycuda_copy_offer(anycuda::Choice* choice) {
  bool is_new = false;
  const anycuda::Opened* library = anycuda::adopt_library(*choice, &is_new);
  if (library == nullptr) return -1;
  if (!is_new) write_choice(*library, choice);
  return is_new ? 1 : 0;
}

ANYCUDA_COPY int anycuda_copy_join(const anycuda::CopyTable* member) {
  for (auto& place : anycuda::members) {
    const anycuda::CopyTable* there = nullptr;
    if (place.compare_exchange_strong(there, member, std::memory_order_seq_cst)) return 1;
    if (there == member) return 1;
  }
  return 0;
}
