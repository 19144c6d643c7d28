#include "compat/base/environment.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "compat/base/reserve.h"

namespace anycuda {
namespace {

// Ended by nullptr, as __environ is (environ is its second name, and one more symbol to look up).
// Another thread may store into the process's list meanwhile, so each entry is read once.
using Entries = char* const*;
const char* read_entry(const char* const* entry) {
  return __atomic_load_n(entry, __ATOMIC_RELAXED);
}

std::atomic<Entries> copy{nullptr};  // never freed: other threads may hold texts in it

// The copy's entries, with their texts behind them.
struct Pages {
  char* start;
  std::size_t size;
};

Pages pages_for(Entries list, std::size_t* count) {
  std::size_t size = sizeof(char*);
  *count = 0;
  while (const char* entry = read_entry(list + *count)) {
    size += sizeof(char*) + std::strlen(entry) + 1;
    ++*count;
  }
  constexpr std::size_t kPage = 4096;
  size = (size + kPage - 1) / kPage * kPage;  // ThreadSanitizer forgets whole pages only
  return {static_cast<char*>(map_pages(size)), size};
}

// False: the list is not the one that was counted.
bool fill(const Pages& pages, Entries list, std::size_t count) {
  auto** into = reinterpret_cast<char**>(pages.start);
  char* text = pages.start + (count + 1) * sizeof(char*);
  const char* end = pages.start + pages.size;
  for (std::size_t i = 0; i < count; ++i) {
    const char* entry = read_entry(list + i);
    const auto room = static_cast<std::size_t>(end - text);
    const std::size_t length = entry != nullptr ? strnlen(entry, room) : room;
    if (length == room) return false;
    into[i] = text;
    std::memcpy(text, entry, length);  // ended by the zeroes of fresh pages
    text += length + 1;
  }
  return read_entry(list + count) == nullptr;
}

// setenv() takes a lock that nobody else can take, and may move the list. So the list is looked at
// as briefly as possible, and once more if it has changed meanwhile.
constexpr int kMostTries = 8;

Pages copy_environment() {
  char* const none = nullptr;  // clearenv() leaves a null pointer
  for (int i = 1;; ++i) {
    Entries const now = __atomic_load_n(&__environ, __ATOMIC_ACQUIRE);
    Entries const list = now != nullptr ? now : &none;
    std::size_t count;
    const Pages pages = pages_for(list, &count);
    if (pages.start == nullptr) return pages;
    const bool whole = fill(pages, list, count);
    // What was copied before a change ends like a list, too.
    if ((whole && __atomic_load_n(&__environ, __ATOMIC_ACQUIRE) == now) || i == kMostTries) {
      return pages;
    }
    munmap(pages.start, pages.size);
  }
}

const char* value_in(Entries list, const char* name) {
  if (list == nullptr) return nullptr;
  while (const char* entry = read_entry(list++)) {
    const char* at = name;
    for (; *at != '\0' && *entry == *at; ++at) ++entry;
    if (*at == '\0' && *entry == '=') return entry + 1;
  }
  return nullptr;
}

}  // namespace

bool is_privileged() { return getauxval(AT_SECURE) != 0; }

void keep_environment() {
  if (copy.load(std::memory_order_relaxed) != nullptr) return;
  const Pages mine = copy_environment();
  if (mine.start == nullptr) return;
  Entries other = nullptr;
  if (!copy.compare_exchange_strong(other, reinterpret_cast<Entries>(mine.start),
                                    std::memory_order_acq_rel)) {
    munmap(mine.start, mine.size);
  }
}

const char* environment_variable(const char* name) {
  Entries kept = copy.load(std::memory_order_acquire);
  const char* value = value_in(kept != nullptr ? kept : __environ, name);
  const bool is_set = value != nullptr && *value != '\0';
  return is_set && !is_privileged() ? value : nullptr;
}

const char* system_root() {
  const char* root = environment_variable("ANYCUDA_SYSTEM_ROOT");
  return root != nullptr && *root == '/' ? root : "";
}

}  // namespace anycuda
