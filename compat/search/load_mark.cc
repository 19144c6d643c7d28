// SPDX-License-Identifier: Apache-2.0
#include "compat/search/load_mark.h"

#include <link.h>

#include "compat/search/machine/loaded.h"

namespace anycuda {
namespace {

// struct dl_find_object of glibc 2.35, for an older one's headers.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* object;
  void* eh_frame;
  unsigned long long reserved[7];
};
using FindObject = int (*)(void* address, FoundObject* result);
// Looked up, and not linked: a stub that is built here may run with an older glibc. nullptr: not
// looked up yet.
std::atomic<FindObject> find_object{nullptr};
int find_nothing(void*, FoundObject*) { return -1; }

// In place of the last object's address, with the count as the print:
constexpr std::uintptr_t kCounted = 1;  // nothing tells whether it is there
constexpr std::uintptr_t kLoading = 2;  // it is being loaded, and not found before that is done

const FoundObject* object_at(std::uintptr_t address, FoundObject* found) {
  const FindObject find = find_object.load(std::memory_order_relaxed);
  const bool is_known = find != nullptr && find(reinterpret_cast<void*>(address), found) == 0;
  // It succeeds without an object while that is being unloaded.
  return is_known && found->object != nullptr ? found : nullptr;
}

std::uint64_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// A sum, since every failing call makes one. Nothing that the record points to is read: the object
// may be gone by now, and pointers in freed memory lead anywhere. AddressSanitizer reports that
// moment, of which load_mark.h tells.
[[gnu::no_sanitize_address]] std::uint64_t print_of(const FoundObject& found) {
  const link_map& object = *found.object;
  return number(&object) + number(object.l_ld) * 3 + number(object.l_name) * 1009 +
         number(object.l_prev) * 10007 + number(found.map_start) * 100003 +
         number(found.map_end) * 1000003 + number(found.eh_frame) * 10000019;
}

[[gnu::no_sanitize_address]] link_map* next_of(const link_map& object) {
  return __atomic_load_n(&object.l_next, __ATOMIC_RELAXED);
}

ListEntry entry_of(const link_map* object, std::uint64_t count) {
  if (object == nullptr) return {kCounted, count};
  const auto address = reinterpret_cast<std::uintptr_t>(object->l_ld);
  FoundObject found;
  if (object_at(address, &found) == nullptr) return {kLoading, count};
  return found.object == object ? ListEntry{address, print_of(found)} : ListEntry{kCounted, count};
}

struct Walk {
  const link_map* object;  // where it starts: the list is the one of this code's namespace
  Loads loads;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const std::uint64_t count = info->dlpi_adds;  // the same in each record
  const link_map* last = walk->object;
  while (last != nullptr && next_of(*last) != nullptr) last = next_of(*last);
  walk->loads = {{entry_of(last, count), entry_of(last != nullptr ? last->l_prev : nullptr, count)},
                 count};
  return 1;
}

int visit_count(dl_phdr_info* info, std::size_t, void* argument) {
  *static_cast<std::uint64_t*>(argument) = info->dlpi_adds;
  return 1;
}

}  // namespace

std::uint64_t load_count() {
  std::uint64_t count = 0;
  dl_iterate_phdr(visit_count, &count);
  return count;
}

Loads loads_now() {
  if (find_object.load(std::memory_order_relaxed) == nullptr) {
    const auto found =
        reinterpret_cast<FindObject>(const_cast<void*>(loaded_symbol("_dl_find_object")));
    find_object.store(found != nullptr ? found : find_nothing, std::memory_order_relaxed);
  }
  FoundObject own;
  const auto here = reinterpret_cast<std::uintptr_t>(&loads_now);
  Walk walk{object_at(here, &own) != nullptr ? own.object : nullptr, {}};
  dl_iterate_phdr(visit, &walk);
  return walk.loads;
}

void LoadMark::set(const Loads& loads) {
  for (int i = 1; i >= 0; --i) {
    last_[i].print.store(loads.last[i].print, std::memory_order_relaxed);
    last_[i].address.store(loads.last[i].address, std::memory_order_release);
  }
}

bool LoadMark::is_latest() {
  const std::uintptr_t last = last_[0].address.load(std::memory_order_acquire);
  if (last == kCounted || last == kLoading) return is_latest_by_count(last == kLoading);
  for (AtomicEntry& entry : last_) {
    const std::uintptr_t address = entry.address.load(std::memory_order_acquire);
    FoundObject found;
    if (address == 0 || object_at(address, &found) == nullptr) continue;
    if (print_of(found) == entry.print.load(std::memory_order_relaxed)) {
      return next_of(*found.object) == nullptr;
    }
  }
  return false;
}

bool LoadMark::is_latest_by_count(bool for_a_moment) {
  if (!for_a_moment) {
    const std::uint32_t walk = walks_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (walk > kMostWalks && (walk & (walk - 1)) != 0) return true;
  }
  const Loads now = loads_now();
  if (now.count != last_[0].print.load(std::memory_order_relaxed)) return false;
  set(now);  // which may do without counting now
  return true;
}

}  // namespace anycuda
