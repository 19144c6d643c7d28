// SPDX-License-Identifier: Apache-2.0
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

// Ends with nullptr, like __environ (environ is its second name, and one more symbol to look up).
// Another thread may store into the process's list meanwhile, so each entry is read once.
using Entries = char* const*;
const char* read_entry(const char* const* entry) {
  return __atomic_load_n(entry, __ATOMIC_RELAXED);
}

// A first call asks for a dozen variables of anycuda and a few others, and a process may have
// hundreds: two lists, so that the first ones are found, or not, at once.
constexpr char kOwn[] = "ANYCUDA_";
constexpr std::size_t kOwnLength = sizeof kOwn - 1;
bool is_own(const char* name) {
  std::size_t i = 0;
  while (i < kOwnLength && name[i] == kOwn[i]) ++i;
  return i == kOwnLength;
}

struct Copy {
  char** own;
  char** others;
};
std::atomic<const Copy*> copy{nullptr};  // never freed: other threads may hold texts in it

// A Copy, with its lists and their texts behind it.
struct Pages {
  char* start;
  std::size_t size;
};

Pages pages_for(Entries list, std::size_t* count) {
  std::size_t size = sizeof(Copy) + 2 * sizeof(char*);  // what ends the lists
  *count = 0;
  while (const char* entry = read_entry(list + *count)) {
    size += 2 * sizeof(char*) + std::strlen(entry) + 1;  // of either list
    ++*count;
  }
  constexpr std::size_t kPage = 4096;
  size = (size + kPage - 1) / kPage * kPage;  // ThreadSanitizer forgets whole pages only
  return {static_cast<char*>(map_pages(size)), size};
}

// False: the list is not the one that was counted.
bool fill(const Pages& pages, Entries list, std::size_t count) {
  auto* lists = reinterpret_cast<Copy*>(pages.start);
  char** own = lists->own = reinterpret_cast<char**>(lists + 1);
  char** others = lists->others = own + count + 1;
  char* text = reinterpret_cast<char*>(others + count + 1);
  const char* const end = pages.start + pages.size;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const entry = read_entry(list + i);
    if (entry == nullptr) return false;
    const std::size_t length = std::strlen(entry);
    if (length >= static_cast<std::size_t>(end - text)) return false;
    *(is_own(entry) ? own : others)++ = text;
    std::memcpy(text, entry, length);  // ended by the zeroes of fresh pages, as the lists are
    text += length + 1;
  }
  return read_entry(list + count) == nullptr;
}

// setenv() takes a lock that is private to libc, and may move the list. So the list is read as
// briefly as possible, and once more if it has changed meanwhile.
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
    // What was copied before a change ends like lists, too.
    if ((whole && __atomic_load_n(&__environ, __ATOMIC_ACQUIRE) == now) || i == kMostTries) {
      return pages;
    }
    munmap(pages.start, pages.size);
  }
}

// All names in the list begin with the first `same` letters of `name`.
const char* value_in(Entries list, const char* name, std::size_t same) {
  if (list == nullptr) return nullptr;
  while (const char* entry = read_entry(list++)) {
    entry += same;
    const char* at = name + same;
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
  const Copy* other = nullptr;
  if (!copy.compare_exchange_strong(other, reinterpret_cast<const Copy*>(mine.start),
                                    std::memory_order_acq_rel)) {
    munmap(mine.start, mine.size);
  }
}

bool is_environment_kept() { return copy.load(std::memory_order_acquire) != nullptr; }

const char* environment_variable(const char* name) {
  const Copy* kept = copy.load(std::memory_order_acquire);
  const bool own = kept != nullptr && is_own(name);
  const Entries list = kept == nullptr ? __environ : own ? kept->own : kept->others;
  const char* value = value_in(list, name, own ? kOwnLength : 0);
  const bool is_set = value != nullptr && *value != '\0';
  return is_set && !is_privileged() ? value : nullptr;
}

const char* system_root() {
  const char* root = environment_variable("ANYCUDA_SYSTEM_ROOT");
  return root != nullptr && *root == '/' ? root : "";
}

const char* wrong_system_root() {
  const char* root = environment_variable("ANYCUDA_SYSTEM_ROOT");
  return root != nullptr && *root != '/' ? root : nullptr;
}

}  // namespace anycuda
