// What a loaded object calls itself, read from its dynamic section in memory.
#pragma once

#include <link.h>

#include <cstddef>

namespace anycuda {

class LoadedNames {
 public:
  explicit LoadedNames(const dl_phdr_info& info);

  // nullptr if it has none.
  const char* soname() const;

  // Calls visit(name, is_base) for each version that it defines; the base one is its name when it
  // was linked.
  template <typename Visit>
  void each_version_definition(Visit visit) const {
    const char* place = strings_ != nullptr ? versions_ : nullptr;
    for (std::size_t i = 0; place != nullptr && i < version_count_; ++i) {
      const auto* definition = reinterpret_cast<const ElfW(Verdef)*>(place);
      const auto* name = reinterpret_cast<const ElfW(Verdaux)*>(place + definition->vd_aux);
      visit(strings_ + name->vda_name, (definition->vd_flags & VER_FLG_BASE) != 0);
      place = definition->vd_next != 0 ? place + definition->vd_next : nullptr;
    }
  }

 private:
  const char* strings_ = nullptr;
  const char* versions_ = nullptr;
  std::size_t soname_ = 0;
  std::size_t version_count_ = 0;
};

}  // namespace anycuda
