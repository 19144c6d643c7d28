// SPDX-License-Identifier: Apache-2.0

// The names of a loaded object, read from its dynamic section in memory.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

#include "compat/base/gnu_hash.h"

namespace anycuda {

// Calls visit(definition, name) for each version of a DT_VERDEF, until visit() returns false. Like
// the dynamic linker, it walks on until vd_next is 0. Without a table (nullptr): no call.
template <typename Visit>
void each_definition(const char* table, const char* strings, Visit visit) {
  while (table != nullptr) {
    const auto* definition = reinterpret_cast<const ElfW(Verdef)*>(table);
    const auto* first = reinterpret_cast<const ElfW(Verdaux)*>(table + definition->vd_aux);
    if (!visit(*definition, strings + first->vda_name)) return;
    table = definition->vd_next != 0 ? table + definition->vd_next : nullptr;
  }
}

// The symbols that an object defines, by their names' hashes (gnu_hash()).
class LoadedSymbols {
 public:
  bool has_hashes() const { return hashes_ != nullptr; }
  // Of its DT_GNU_HASH; count == 0: it has none.
  GnuHashBuckets buckets() const {
    return hashes_ != nullptr ? gnu_hash_buckets(hashes_) : GnuHashBuckets();
  }

 protected:
  friend class LoadedNames;
  // By its Bloom filter: false for nearly all symbols that it does not define.
  bool may_define(std::uint32_t hash) const;
  // The number of the symbol of that name, whose hash is `hash`; 0: not found.
  std::uint32_t index_of(const char* name, std::uint32_t hash) const;

  const std::uint32_t* hashes_ = nullptr;  // DT_GNU_HASH
  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
};

// The same with their versions.
class VersionedSymbols : public LoadedSymbols {
 public:
  VersionedSymbols() = default;
  // The number of a version that the object defines, by its name and the name's hash (ELF's of
  // versions); 0: it does not.
  std::uint16_t version_number(const char* version, std::uint32_t hash) const;
  // A symbol of that name in that version.
  bool defines(const HashedName& name, std::uint16_t version) const;

 private:
  friend class LoadedNames;
  explicit VersionedSymbols(const LoadedSymbols& symbols) : LoadedSymbols(symbols) {}

  const ElfW(Half) * versions_ = nullptr;
  const char* definitions_ = nullptr;  // DT_VERDEF
  std::size_t strings_size_ = 0;
};

class LoadedNames {
 public:
  LoadedNames() = default;
  explicit LoadedNames(const dl_phdr_info& info);
  // Of an object that stays loaded meanwhile, and is not the vdso.
  explicit LoadedNames(const link_map& object) : base_(object.l_addr), entries_(object.l_ld) {}

  // nullptr if it has none.
  const char* soname() const { return text(entry(DT_SONAME)); }
  // DT_RPATH or DT_RUNPATH, or nullptr. A DT_RPATH beside a DT_RUNPATH does not count.
  const char* run_path(bool rpath) const {
    const ElfW(Dyn)* const runpath = entry(DT_RUNPATH);
    return rpath && runpath != nullptr ? nullptr : text(rpath ? entry(DT_RPATH) : runpath);
  }

  // Does it need a library of that name? *version is then the first version that it needs of it,
  // nullptr if it needs none.
  bool needs(const char* library, const char** version) const;

  // Calls visit(name) for each library that it needs.
  template <typename Visit>
  void each_needed(Visit visit) const {
    const char* const strings = table(DT_STRTAB);
    const ElfW(Dyn)* entry = strings != nullptr ? entries_ : nullptr;
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_NEEDED) visit(strings + entry->d_un.d_val);
    }
  }

  LoadedSymbols symbols() const;
  VersionedSymbols versioned_symbols() const;
  // Does it define a symbol whose name has this hash (gnu_hash())? False without DT_GNU_HASH.
  bool defines(std::uint32_t hash) const { return symbols_for(hash).buckets().has(hash); }
  // The address of the symbol, whose hash is `hash`; nullptr if it does not define it.
  // *size, if wanted: the symbol's size.
  const void* address_of(const char* name, std::uint32_t hash, std::size_t* size = nullptr) const;

  // What it calls itself, and where the versions are that it defines.
  struct OwnNames {
    const char* soname = nullptr;       // nullptr if it has none
    const char* strings = nullptr;      // the last two: nullptr if it defines no version
    const char* definitions = nullptr;  // DT_VERDEF

    // Calls visit(name, is_base) for each version, until visit() returns false; the base one is
    // its name when it was linked.
    template <typename Visit>
    void each_version(Visit visit) const {
      each_definition(definitions, strings, [&](const ElfW(Verdef) & definition, const char* name) {
        return visit(name, (definition.vd_flags & VER_FLG_BASE) != 0);
      });
    }
  };
  OwnNames own_names() const;

 private:
  // The entry of the dynamic section with this tag, nullptr if it has none. Looked for when it is
  // needed: a search walks over all objects of a process several times, and asks most of them for
  // one thing.
  const ElfW(Dyn) * entry(ElfW(Sxword) tag) const;
  // The data that the entry points to.
  const char* table(ElfW(Sxword) tag) const;
  const char* data_at(ElfW(Addr) address) const;
  const char* text(const ElfW(Dyn) * name) const;
  // symbols() where the filter has the hash, else none.
  LoadedSymbols symbols_for(std::uint32_t hash) const;

  const ElfW(Phdr) * segments_ = nullptr;
  int segment_count_ = 0;
  ElfW(Addr) base_ = 0;
  const ElfW(Dyn) * entries_ = nullptr;
};

}  // namespace anycuda
