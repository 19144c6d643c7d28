// SPDX-License-Identifier: Apache-2.0
#include "compat/search/folder.h"

#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/base/log.h"
#include "compat/base/shortage.h"
#include "compat/base/text_file.h"
#include "compat/base/uncancelled.h"
#include "compat/search/elf/classify.h"
#include "compat/search/elf/image_file.h"
#include "compat/search/machine/linker_tokens.h"

namespace anycuda {
namespace {

// All majors that the database does not know count as one.
bool is_of_major(const Candidate& candidate, int major, int newest_known) {
  const int other = candidate.image.version.major;
  return other == major || (other > newest_known && major > newest_known);
}

// Of the environment's usable candidates of that major the one whose name has the oldest version,
// where there are kMostUsable of them; else nullptr.
Candidate* oldest_of_many(Gathered* gathered, int major) {
  const int newest_known = gathered->library().rules.newest_known_major;
  int count = 0;
  each_usable(gathered->first_here(),
              [&](const Candidate* c) { count += is_of_major(*c, major, newest_known); });
  if (count < kMostUsable) return nullptr;
  Candidate* oldest = nullptr;
  each_usable(gathered->first_here(), [&](Candidate* c) {
    const bool counts = is_of_major(*c, major, newest_known);
    if (counts && (oldest == nullptr || is_newer_file(oldest, c, &gathered->arena))) oldest = c;
  });
  return oldest;
}

// Puts a file in the place of such a candidate. False: the file is left out, since it is not newer
// or memory is missing.
bool replace(Gathered* gathered, Candidate* old, const char* path) {
  Arena& arena = gathered->arena;
  TierSummary& summary = gathered->summary(old->tier);
  ++summary.left_out;
  // Of drivers the first counts, independent of versions.
  if (gathered->library().is_driver) return false;
  file_version_of(old, &arena);  // which stays, whatever becomes of the other
  const std::size_t mark = arena.mark();
  Candidate other{};
  other.path = arena.copy(path);
  const bool is_newer = other.path != nullptr && is_newer_file(&other, old, &arena);
  if (is_newer && other.file_version != nullptr) {
    old->path = other.path;
    old->file_version = other.file_version;
    gathered->unmark_seen(*old);
    return true;
  }
  if (other.file_version == nullptr) summary.is_full = true;  // without memory
  arena.rewind(mark);
  return false;
}

// nullptr: the file is left out.
Candidate* candidate_for(Gathered* gathered, SearchTier tier, const char* path,
                         const ImageFacts& image) {
  TierSummary& summary = gathered->summary(tier);
  if (image.state != FileState::usable) {
    const bool left_out = summary.unusable >= kMostUnusable;
    ++(left_out ? summary.left_out : summary.unusable);
    return left_out ? nullptr : gathered->add(tier, path);
  }
  Candidate* old = oldest_of_many(gathered, image.version.major);
  if (old == nullptr) return gathered->add(tier, path);
  return replace(gathered, old, path) ? old : nullptr;
}

}  // namespace

FileFacts examine_file(const char* path, const LibraryDescriptor& library,
                       const LibrarySymbols* symbols, Arena* arena, const Gathered* gathered) {
  const Uncancelled uncancelled;
  FileFacts facts;
  int file;
  struct stat status;
  const TextState state = open_regular(path, &file, &status, &facts.image.error);
  if (state != TextState::read) {
    facts.image.state = state == TextState::missing      ? FileState::missing
                        : state == TextState::not_a_file ? FileState::not_a_file
                                                         : FileState::unreadable;
    return facts;
  }
  facts.device = status.st_dev;
  facts.inode = status.st_ino;
  facts.is_seen = gathered != nullptr && gathered->is_seen(status.st_dev, status.st_ino);
  if (!facts.is_seen) {
    facts.image =
        read_image(file, static_cast<unsigned long>(status.st_size), library, symbols, *arena);
    note_shortage(facts.image.error);
  }
  close(file);
  return facts;
}

Candidate* gather_file(Gathered* gathered, SearchTier tier, const char* path) {
  const std::size_t mark = gathered->arena.mark();
  FileFacts facts = examine_file(path, gathered->library(), gathered->report.request.symbols,
                                 &gathered->arena, gathered);
  if (facts.image.state == FileState::usable && has_linker_tokens(path)) {
    facts.image.state = FileState::has_tokens;
    facts.inode = 0;  // by another name it is another candidate
  }
  Candidate* candidate = facts.is_seen ? nullptr : candidate_for(gathered, tier, path, facts.image);
  if (candidate == nullptr) {
    gathered->arena.rewind(mark);
    return nullptr;
  }
  candidate->image = facts.image;
  candidate->device = facts.device;
  candidate->inode = facts.inode;
  if (facts.inode != 0) gathered->mark_seen(candidate);
  return candidate;
}

namespace {

struct FolderVisit {
  Gathered* gathered;
  SearchTier tier;
  const char* folder;
  bool sonames;  // the names that programs ask for, or all others
  bool left_others = false;
};

// Not kept in the arena: a file that is left out takes none of it.
struct FilePath {
  Scratch buffer;
  const char* text = nullptr;  // nullptr: it does not fit

  FilePath(Arena* arena, std::initializer_list<const char*> parts) : buffer(arena) {
    char* const place = buffer.text();
    if (place == nullptr) return;
    std::size_t length = 0;
    for (const char* part : parts) {
      const std::size_t size = std::strlen(part);
      if (length + size + 1 > Scratch::kPath) return;
      std::memcpy(place + length, part, size);
      length += size;
      place[length++] = '/';
    }
    place[length - 1] = '\0';
    text = place;
  }
};

void visit_file(const char* name, void* argument) {
  auto* visit = static_cast<FolderVisit*>(argument);
  const LibraryDescriptor& library = visit->gathered->library();
  const char* rest = name + std::strlen(library.file_prefix);
  const bool versioned = rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9';
  if (*rest != '\0' && !versioned) return;
  if (is_soname(library, name) != visit->sonames) {
    visit->left_others = true;
    return;
  }
  const FilePath path(&visit->gathered->arena, {visit->folder, name});
  if (path.text != nullptr) gather_file(visit->gathered, visit->tier, path.text);
}

}  // namespace

bool has_driver(const Gathered& gathered, const char* root, const char* below) {
  const LibraryDescriptor& library = gathered.library();
  for (int i = 0; i < library.major_count; ++i) {
    const FilePath path(&gathered.arena, {root, below, library.majors[i].soname});
    if (path.text == nullptr || gathered.absent.find(path.text, is_entry)) return true;
  }
  return false;
}

void gather_folder(Gathered* gathered, SearchTier tier, const char* folder) {
  if (folder == nullptr || *folder != '/') return;
  ++gathered->summary(tier).folders;
  if (gathered->logs_steps) {
    log_step("%s: looking in %s (%s)", gathered->library().name, folder,
             tier_name(tier, gathered->library()));
  }
  // Programs load the driver by one name. Other files in the folder are not candidates: libcuda.so
  // is a toolkit's library for linking, libcuda.so.550.163.01 may belong to another kernel module.
  const LibraryDescriptor& library = gathered->library();
  for (int i = 0; library.is_driver && i < library.major_count; ++i) {
    const FilePath path(&gathered->arena, {folder, library.majors[i].soname});
    if (path.text != nullptr && is_entry(path.text)) gather_file(gathered, tier, path.text);
  }
  if (library.is_driver) return;
  // A file with several names is reported by the first one seen. The order of a folder's entries is
  // arbitrary, so SONAMEs are visited first: the result must not depend on the file system.
  for (const bool sonames : {true, false}) {
    FolderVisit visit{gathered, tier, folder, sonames};
    const bool is_read =
        each_entry(folder, library.file_prefix, &gathered->arena, visit_file, &visit);
    if (!is_read || !visit.left_others) return;
  }
}

}  // namespace anycuda
