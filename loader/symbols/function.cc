#include "loader/symbols/function.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "compat/base/gnu_hash.h"

namespace anycuda {
namespace {

// The tables of a loaded object that lead from a name to an address.
struct SymbolTables {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint32_t* hash = nullptr;  // NVRTC before 12.8 has only this one
};

// glibc writes addresses into an object's dynamic section when it loads it, but not where the
// section is read-only: there they are offsets, which lie below the object.
template <typename Table>
void read(const link_map& object, const ElfW(Dyn) & entry, const Table** table) {
  const ElfW(Addr) place = entry.d_un.d_ptr;
  *table = reinterpret_cast<const Table*>(place < object.l_addr ? object.l_addr + place : place);
}

SymbolTables tables_of(const link_map& object) {
  SymbolTables tables;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) read(object, *entry, &tables.strings);
    if (entry->d_tag == DT_SYMTAB) read(object, *entry, &tables.symbols);
    if (entry->d_tag == DT_GNU_HASH) read(object, *entry, &tables.gnu_hash);
    if (entry->d_tag == DT_HASH) read(object, *entry, &tables.hash);
  }
  return tables;
}

bool is_named(const SymbolTables& tables, const ElfW(Sym) & symbol, const char* name) {
  return symbol.st_shndx != SHN_UNDEF && std::strcmp(tables.strings + symbol.st_name, name) == 0;
}

// The table: numbers of buckets, of the first symbol in it, of the filter's words, a shift; the
// filter; a bucket has the number of its first symbol; the hashes of the symbols, whose lowest bit
// ends a bucket.
const ElfW(Sym) * find_by_gnu_hash(const SymbolTables& tables, const char* name) {
  const std::uint32_t buckets = tables.gnu_hash[0], first = tables.gnu_hash[1];
  const std::uint32_t* heads =
      tables.gnu_hash + 4 + tables.gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof *heads);
  const std::uint32_t* hashes = heads + buckets;
  const std::uint32_t hash = gnu_hash(name);
  std::uint32_t i = buckets != 0 ? heads[hash % buckets] : 0;
  for (; i >= first && i != 0; ++i) {
    const bool alike = is_same_hash(hashes[i - first], hash);
    if (alike && is_named(tables, tables.symbols[i], name)) return &tables.symbols[i];
    if ((hashes[i - first] & 1) != 0) break;
  }
  return nullptr;
}

// DT_HASH begins with the numbers of buckets and of symbols. An object without DT_GNU_HASH has few
// symbols.
const ElfW(Sym) * find_one_by_one(const SymbolTables& tables, const char* name) {
  for (std::uint32_t i = 1; i < tables.hash[1]; ++i) {
    if (is_named(tables, tables.symbols[i], name)) return &tables.symbols[i];
  }
  return nullptr;
}

}  // namespace

void* find_function(void* handle, const char* name) {
  // glibc's handle of a library is its entry in the link map.
  const auto& object = *static_cast<const link_map*>(handle);
  const SymbolTables tables = tables_of(object);
  if (tables.strings == nullptr || tables.symbols == nullptr) return nullptr;
  const ElfW(Sym)* symbol = tables.gnu_hash != nullptr ? find_by_gnu_hash(tables, name)
                            : tables.hash != nullptr   ? find_one_by_one(tables, name)
                                                       : nullptr;
  if (symbol == nullptr) return nullptr;
  // A function of the library chooses the address: the dynamic linker asks it.
  if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) return dlsym(handle, name);
  return reinterpret_cast<void*>(object.l_addr + symbol->st_value);
}

void* loaded_function(std::atomic<void*>* kept, void* handle, const char* name) {
  void* known = kept->load(std::memory_order_acquire);
  if (handle == nullptr || known != nullptr) return is_function(known) ? known : nullptr;
  void* found = find_function(handle, name);
  kept->store(found != nullptr ? found : reinterpret_cast<void*>(kNoFunction),
              std::memory_order_release);
  return found;
}

}  // namespace anycuda
