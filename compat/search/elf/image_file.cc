#include "compat/search/elf/image_file.h"

#include <algorithm>
#include <cstring>

#include "compat/search/elf/classify.h"
#include "compat/search/elf/elf_reader.h"

namespace anycuda {
namespace {

// A minor is shown by the names that came with it: the newest whose names, and those of all minors
// before it, are there. A minor without new names can't be told from the one before.
int newest_minor(const LibraryDescriptor& library, const LibrarySymbols& tables, int column,
                 const unsigned char* present) {
  int missing_from = 1 << 8;
  int newest = -1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < tables.symbol_count; ++i) {
      const int minor = minor_of(tables.availability[i * library.major_count + column]);
      if (minor < 0) continue;
      if (pass == 0 && present[i] == 0) missing_from = std::min(missing_from, minor);
      if (pass == 1 && minor < missing_from) newest = std::max(newest, minor);
    }
  }
  return newest;
}

void check_exports(ElfReader& image, const LibraryDescriptor& library, const LibrarySymbols& tables,
                   Arena& arena, ImageFacts* facts) {
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
  const int major = facts->version.major;
  const int missing = tables.missing_required_symbol(
      library, major, [&](int symbol) { return present[symbol] != 0; });
  if (missing >= 0) {
    facts->state = FileState::required_symbol_missing;
    facts->detail = tables.symbol_name(missing);
  }
  const int column = library.index_of(major);
  if (column >= 0 && !library.is_driver) {
    facts->version.minor = newest_minor(library, tables, column, present);
  }
}

void examine(ElfReader& image, const LibraryDescriptor& library, const LibrarySymbols* tables,
             Arena& arena, ImageFacts* facts, char (&other_name)[64]) {
  facts->state = image.open();
  if (facts->state == FileState::usable) facts->state = image.read_dynamic();
  if (facts->state != FileState::usable) return;
  Classifier identity(library);
  identity.soname(image.soname());
  image.each_version_definition([&](const char* name) { identity.version_definition(name); });
  if (identity.is_stub()) {
    facts->state = FileState::anycuda_stub;
    return;
  }
  facts->version.major = identity.major();
  if (identity.major() == 0) {
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
