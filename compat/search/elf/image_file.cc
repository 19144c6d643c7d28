// SPDX-License-Identifier: Apache-2.0
#include "compat/search/elf/image_file.h"

#include <algorithm>
#include <cstring>

#include "compat/descriptor/toolkit_libraries.h"
#include "compat/search/elf/classify.h"
#include "compat/search/elf/elf_reader.h"

namespace anycuda {
namespace {

// The release by the exported names: the newest one of which the file has all new names, and those
// of all releases before it. A release without new names cannot be distinguished from the one
// before.
class Shown {
 public:
  void name(int place, bool is_there) {
    if (place < 0 || place >= kPlaces) return;
    if (is_there) there_[place / kBits] |= std::uint64_t{1} << (place % kBits);
    if (!is_there) missing_from_ = std::min(missing_from_, place);
  }
  int newest_place() const {
    for (int place = missing_from_ - 1; place >= 0; --place) {
      if ((there_[place / kBits] >> (place % kBits) & 1) != 0) return place;
    }
    return -1;
  }

 private:
  static constexpr int kBits = 64;
  std::uint64_t there_[kPlaces / kBits + 1] = {};
  int missing_from_ = kPlaces;
};

// The names are at least of that release, of a SONAME of several majors too.
void raise_to(Version release, ImageFacts* facts) {
  if (release.major > facts->version.major) facts->version = {release.major, -1};
  if (release.major == facts->version.major) facts->version.minor = release.minor;
}

// Asks has(symbol, is_required) for each symbol that the file's major has. A major newer than the
// database must have what the newest known one must.
template <typename Has>
void evaluate_exports(const LibraryDescriptor& library, const LibrarySymbols& tables, Has has,
                      ImageFacts* facts) {
  const int column = library.column_of(facts->version.major);
  const bool shows_release =
      library.index_of(facts->version.major) >= 0 && !library.is_driver && !library.own_releases;
  const Availability* const available = tables.availability_in(column);
  Shown shown;
  for (int i = 0; i < tables.symbol_count; ++i) {
    const Availability availability = available[i];
    const bool is_required = (availability & kRequired) != 0;
    if (availability == kNever || (!is_required && !shows_release)) continue;
    const bool is_there = has(i, is_required);
    if (is_required && !is_there) {
      facts->state = FileState::required_symbol_missing;
      facts->detail = tables.symbol_name(i);
      return;
    }
    shown.name(place_of(availability), is_there);
  }
  if (shows_release) raise_to(library.majors[column].release_at(shown.newest_place()), facts);
}

// By DT_HASH, which has no hashes of names.
void check_each_export(ElfReader& image, const LibraryDescriptor& library,
                       const LibrarySymbols& tables, Arena& arena, ImageFacts* facts) {
  auto* present =
      static_cast<unsigned char*>(arena.take(static_cast<std::size_t>(tables.symbol_count)));
  if (present == nullptr) {
    facts->state = FileState::out_of_memory;
    return;
  }
  facts->state = image.each_export([&](const char* name) {
    const int symbol = tables.find_symbol(name);
    if (symbol >= 0) present[symbol] = 1;
  });
  if (facts->state != FileState::usable) return;
  evaluate_exports(
      library, tables, [&](int symbol, bool) { return present[symbol] != 0; }, facts);
}

// The release that has just these names, nullptr: it is not known.
const ReleaseNames* release_of(const ExportTable& exports, const LibrarySymbols& tables, int row) {
  const std::uint64_t sum = exports.sum();
  for (int i = 0; i < tables.release_count; ++i) {
    const ReleaseNames& release = tables.releases[i];
    if (release.sum == sum && release.row == row) return &release;
  }
  return nullptr;
}

// A known release needs no look at its names. Of another file each name is looked for by its hash,
// and only those of required symbols are compared.
void check_exports(ElfReader& image, const LibraryDescriptor& library, const LibrarySymbols& tables,
                   Arena& arena, ImageFacts* facts) {
  if (!image.has_hashes()) return check_each_export(image, library, tables, arena, facts);
  ExportTable exports;
  facts->state = image.read_exports(&exports);
  if (facts->state != FileState::usable) return;
  const int row = library.index_of(facts->version.major);
  if (const ReleaseNames* release = release_of(exports, tables, row)) {
    raise_to(library.majors[row].release_at(release->place), facts);
    facts->newest_major = std::min(facts->newest_major, release->newest_major);
    return;
  }
  facts->state = image.read_names(&exports);
  if (facts->state != FileState::usable) return;
  const auto has = [&](int symbol, bool is_required) {
    const std::uint32_t hash = tables.hashes[symbol];
    return is_required ? exports.has(hash, tables.symbol_name(symbol)) : exports.has(hash);
  };
  evaluate_exports(library, tables, has, facts);
}

void examine(ElfReader& image, const LibraryDescriptor& library, const LibrarySymbols* tables,
             Arena& arena, ImageFacts* facts, char (&other_name)[64]) {
  facts->state = image.open();
  if (facts->state == FileState::usable) facts->state = image.read_dynamic();
  if (facts->state != FileState::usable) return;
  Classifier classifier(library);
  classifier.soname(image.soname());
  image.each_version_definition([&](const char* name) { classifier.version_definition(name); });
  if (classifier.is_stub()) {
    facts->state = FileState::anycuda_stub;
    return;
  }
  if (classifier.wants_needed()) {
    image.each_needed([&](const char* name) { classifier.needed(name); });
  }
  classifier.put_into(facts);
  facts->needs_only_libc = image.needs_only_libc();
  if (!facts->needs_only_libc) {
    image.each_needed([&](const char* name) {
      facts->needs_companions = facts->needs_companions || is_companion(name);
    });
  }
  if (classifier.major() == 0) {
    facts->state = FileState::other_library;
    std::strncpy(other_name, image.soname(), sizeof other_name - 1);
    return;
  }
  if (tables != nullptr) check_exports(image, library, *tables, arena, facts);
}

}  // namespace

ImageFacts read_image(int descriptor, unsigned long size, const LibraryDescriptor& library,
                      const LibrarySymbols* tables, Arena& arena) {
  const std::size_t mark = arena.mark();
  ImageFacts facts;
  char other_name[64] = {};
  {
    ElfReader image(descriptor, size, arena);
    examine(image, library, tables, arena, &facts, other_name);
    facts.error = image.error();
    // A file that cannot be read was not cut off, and one that ends early can be read.
    if (facts.error != 0) facts.state = FileState::unreadable;
    if (facts.error == 0 && facts.state == FileState::unreadable)
      facts.state = FileState::truncated;
  }
  arena.rewind(mark);
  if (other_name[0] != '\0') facts.detail = arena.copy(other_name);
  return facts;
}

}  // namespace anycuda
