// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/system_toolkits.h"

#include <cstring>

#include "compat/base/dotted_order.h"
#include "compat/base/folder_entries.h"

namespace anycuda {
namespace {

#if defined(__x86_64__)
constexpr char kHpcSdk[] = "opt/nvidia/hpc_sdk/Linux_x86_64";
#else
constexpr char kHpcSdk[] = "opt/nvidia/hpc_sdk/Linux_aarch64";
#endif

// Of a folder's entries so many count, the newest: it may have tens of thousands.
constexpr int kMostEntries = 256;

constexpr char kDigits[] = "0123456789";

// A list in the order of visits.
struct Entry {
  const char* name;
  Entry* next;
};
struct Entries {
  Arena* arena;
  Entry* first;
};

// The administrator's choice ("cuda") first, then the newest of "cuda-12.9" and "cuda-12.10".
bool goes_before(const char* a, const char* b) {
  const bool chosen_a = std::strcmp(a, "cuda") == 0;
  const bool chosen_b = std::strcmp(b, "cuda") == 0;
  if (chosen_a || chosen_b) return chosen_a;
  const int order = compare_dotted(a + std::strcspn(a, kDigits), b + std::strcspn(b, kDigits));
  return (order != 0 ? order : std::strcmp(a, b)) > 0;
}

void insert(const char* name, void* argument) {
  auto* entries = static_cast<Entries*>(argument);
  Entry** place = &entries->first;
  int newer = 0;
  for (; *place != nullptr && goes_before((*place)->name, name); place = &(*place)->next) {
    if (++newer == kMostEntries) return;
  }
  const char* copy = *name != '.' ? entries->arena->copy(name) : nullptr;
  auto* entry = static_cast<Entry*>(entries->arena->take(sizeof(Entry)));
  if (copy == nullptr || entry == nullptr) return;
  *entry = {copy, *place};
  *place = entry;
}

// The folders in `folder` whose names begin so, sorted.
const Entry* sorted(const char* folder, const char* prefix, Arena* arena) {
  Entries entries{arena, nullptr};
  if (folder != nullptr) each_entry(folder, prefix, arena, insert, &entries);
  Entry** end = &entries.first;
  for (int i = 0; *end != nullptr && i < kMostEntries; ++i) end = &(*end)->next;
  *end = nullptr;
  return entries.first;
}

}  // namespace

void each_system_toolkit(AbsentNames absent, const char* root, Arena* arena,
                         bool (*visit)(const char*, void*), void* argument) {
  const auto go = [&](const char* path) { return path == nullptr || visit(path, argument); };
  const char* local = arena->join(root, "usr/local");
  for (const Entry* one = sorted(local, "cuda", arena); one != nullptr; one = one->next) {
    if (!go(arena->join(local, one->name))) return;
  }
  if (!go(arena->join(root, "opt/cuda"))) return;
  const char* sdk = arena->join(root, kHpcSdk);
  if (!absent.find(sdk, is_folder)) return;
  for (const Entry* release = sorted(sdk, "", arena); release != nullptr; release = release->next) {
    const char* folder = arena->format("%s/%s/cuda", sdk, release->name);
    for (const Entry* one = sorted(folder, "", arena); one != nullptr; one = one->next) {
      if (one->name[0] < '0' || one->name[0] > '9') continue;  // bin, include: links to one of them
      if (!go(arena->join(folder, one->name))) return;
    }
  }
}

}  // namespace anycuda
