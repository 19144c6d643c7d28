// What a loaded object calls itself, read from its dynamic section in memory.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "compat/base/gnu_hash.h"

namespace anycuda {

class LoadedNames {
 public:
  LoadedNames() = default;
  explicit LoadedNames(const dl_phdr_info& info);

  // nullptr if it has none.
  const char* soname() const { return text(soname_); }
  // DT_RPATH or DT_RUNPATH, or nullptr. A DT_RPATH beside a DT_RUNPATH does not count.
  const char* run_path(bool rpath) const {
    return rpath && runpath_ != 0 ? nullptr : text(rpath ? rpath_ : runpath_);
  }

  // Does it need a library of that name? *version is then the first version that it needs of it,
  // nullptr if it needs none.
  bool needs(const char* library, const char** version) const;

  // Does it define a symbol whose name has this hash (gnu_hash())? False without DT_GNU_HASH.
  bool defines(std::uint32_t hash) const { return index_of(nullptr, hash) != 0; }
  // The address of the symbol, whose hash is `hash`; nullptr if it does not define it.
  const void* address_of(const char* name, std::uint32_t hash) const;

  // Calls visit(name, is_base) for each version that it defines; the base one is its name when it
  // was linked.
  template <typename Visit>
  void each_version_definition(Visit visit) const {
    const char* const strings = at(strings_);
    const char* place = strings != nullptr ? at(versions_) : nullptr;
    for (std::size_t i = 0; place != nullptr && i < version_count_; ++i) {
      const auto* definition = reinterpret_cast<const ElfW(Verdef)*>(place);
      const auto* name = reinterpret_cast<const ElfW(Verdaux)*>(place + definition->vd_aux);
      visit(strings + name->vda_name, (definition->vd_flags & VER_FLG_BASE) != 0);
      place = definition->vd_next != 0 ? place + definition->vd_next : nullptr;
    }
  }

 private:
  void read(const ElfW(Dyn) * entry);
  // What the entry of the dynamic section leads to; nullptr without an entry.
  const char* at(const ElfW(Dyn) * entry) const;
  // The number of the symbol of that hash, and of that name where one is given; 0: not found.
  std::uint32_t index_of(const char* name, std::uint32_t hash) const;
  const char* name_of(std::uint32_t symbol) const;
  const char* text(std::size_t offset) const {
    return strings_ != nullptr && offset != 0 ? at(strings_) + offset : nullptr;
  }

  const ElfW(Phdr) * segments_ = nullptr;
  int segment_count_ = 0;
  ElfW(Addr) base_ = 0;
  const ElfW(Dyn) * entries_ = nullptr;
  // Entries of the dynamic section that lead to tables.
  const ElfW(Dyn) * strings_ = nullptr;
  const ElfW(Dyn) * versions_ = nullptr;
  const ElfW(Dyn) * symbols_ = nullptr;  // DT_GNU_HASH
  const ElfW(Dyn) * needed_versions_ = nullptr;
  const ElfW(Dyn) * symbol_table_ = nullptr;
  std::size_t soname_ = 0;
  std::size_t rpath_ = 0;
  std::size_t runpath_ = 0;
  std::size_t version_count_ = 0;
};

}  // namespace anycuda
