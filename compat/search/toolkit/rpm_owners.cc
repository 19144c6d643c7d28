// SPDX-License-Identifier: Apache-2.0
#include "compat/search/toolkit/rpm_owners.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cstring>

#include "compat/base/folder_entries.h"
#include "compat/base/reserve.h"
#include "compat/base/shortage.h"
#include "compat/search/toolkit/records/rpm_header.h"
#include "compat/search/toolkit/rpm/rpm_database.h"
#include "compat/search/toolkit/toolkit_packages.h"

namespace anycuda {
namespace {

// Texts one after the other, no pointers. The first database that exists counts.
constexpr char kFolders[] = "/var/lib/rpm\0/usr/lib/sysimage/rpm\0";
constexpr char kDatabases[] = "rpmdb.sqlite\0Packages\0Packages.db\0";
const char* next(const char* text) { return text + std::strlen(text) + 1; }

constexpr char kNoMemory[] = "out of memory";

// In memory that is zero, and more of it than is used: untouched pages cost nothing.
struct Look {
  // A toolkit's headers are a thousand files, a kernel's twenty thousand.
  static constexpr std::uint32_t kMostOfHeader = std::uint32_t{32} << 20;
  static constexpr std::uint32_t kHead = 4096;

  const char* database;
  const char* path;
  Arena* arena;
  Owners* owners;
  PagedFile file;
  char header[kMostOfHeader + 1];

  const char* problem(TextState state) {
    if (state != TextState::read) return describe_state(state, file.error());
    if (file.format() == PageFormat::unknown)
      return "has a format that anycuda does not read: install the package with the cuda.h of the "
             "library's release, such as cuda-cudart-devel-12-9";
    if (has_log("wal") || has_log("journal"))
      return "has unfinished changes in a log beside it: run rpm --rebuilddb";
    return each_rpm_header(&file, visit, this) ? nullptr : "is damaged: run rpm --rebuilddb";
  }

  // sqlite's. The database itself has only what is finished.
  bool has_log(const char* kind) const {
    const char* log = arena->format("%s-%s", database, kind);
    struct stat status;
    return log == nullptr || (noted(stat(log, &status)) == 0 && status.st_size != 0);
  }

  static void visit(PagedValue* value, void* look) { static_cast<Look*>(look)->ask(value); }

  // The name is at the beginning: only of a toolkit's packages more is read.
  void ask(PagedValue* value) {
    const std::uint32_t size = value->left;
    const std::uint32_t head = size < kHead ? size : kHead;
    file.take(value, header, head);
    header[head] = '\0';
    const std::string_view name = rpm_name({header, head});
    if (size > kMostOfHeader || name.empty()) file.fail();
    if (!file.sound() || release_in(Manager::rpm, name) == ReleaseIn::nothing) return;
    file.take(value, header + head, size - head);
    header[size] = '\0';
    if (file.sound() && owners->count < Owners::kMost && rpm_lists({header, size}, path)) add(name);
  }

  void add(std::string_view name) {
    auto* owner = static_cast<Installed*>(arena->take(sizeof(Installed)));
    const char* kept = arena->copy(name);
    // A message does not fit either.
    if (owner == nullptr || kept == nullptr) return file.fail();
    owner->folder = database;
    owner->named.name = {kept, name.size()};
    owners->found[owners->count++] = owner;
  }
};

// False: the database is missing.
bool look_in(const char* database, const char* path, Arena* arena, Owners* owners) {
  auto* site = static_cast<Site*>(arena->take(sizeof(Site)));
  const bool has_memory = database != nullptr && site != nullptr;
  auto* look = has_memory ? static_cast<Look*>(map_pages(sizeof(Look))) : nullptr;
  if (look == nullptr) {
    owners->problem = kNoMemory;
    return true;
  }
  look->database = database;
  look->path = path;
  look->arena = arena;
  look->owners = owners;
  const TextState state = look->file.open(database);
  if (state != TextState::missing) {
    site->folder = database;
    owners->site = site;
    if (const char* problem = look->problem(state)) {
      const char* whole = arena->format("%s %s", database, problem);
      owners->problem = whole != nullptr ? whole : kNoMemory;
      owners->count = 0;  // another owner may be behind the damage
    }
  }
  look->file.close();
  munmap(look, sizeof *look);
  return state != TextState::missing;
}

}  // namespace

void find_rpm_owners(const char* real, int root, Sites* sites, Owners* owners) {
  Arena* arena = sites->arena();
  for (const char* place = kFolders; *place != '\0'; place = next(place)) {
    const char* folder = arena->format("%.*s%s", root, real, place);
    if (folder != nullptr && is_world_writable(folder)) continue;  // or missing
    for (const char* name = kDatabases; *name != '\0'; name = next(name)) {
      const char* database = folder != nullptr ? arena->join(folder, name) : nullptr;
      if (look_in(database, real + root, arena, owners)) return;
    }
  }
}

}  // namespace anycuda
