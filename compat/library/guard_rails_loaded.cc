#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>

#include "compat/library/guard_rails_seams.h"
#include "loader/identity.h"

namespace anycuda::compat {
namespace {

struct Dynamic {
  const char* strings = nullptr;
  const char* versions = nullptr;
  std::size_t soname = 0;
  std::size_t version_count = 0;
};

// glibc relocates the addresses in a loaded object's dynamic section in place; the comparison is
// for objects (the vdso) where it does not.
const char* absolute(const dl_phdr_info& info, ElfW(Addr) address) {
  return reinterpret_cast<const char*>(address < info.dlpi_addr ? address + info.dlpi_addr
                                                                : address);
}

Dynamic read_dynamic(const dl_phdr_info& info) {
  Dynamic found;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) found.strings = absolute(info, entry->d_un.d_ptr);
      if (entry->d_tag == DT_VERDEF) found.versions = absolute(info, entry->d_un.d_ptr);
      if (entry->d_tag == DT_VERDEFNUM) found.version_count = entry->d_un.d_val;
      if (entry->d_tag == DT_SONAME) found.soname = entry->d_un.d_val;
    }
  }
  return found;
}

bool is_release(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0 &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Is the name one of the row's, or of a major that the row does not have yet?
bool names(const Piece& piece, std::string_view name) {
  if (piece.files.contains(name)) return true;
  return std::any_of(piece.files.begin(), piece.files.end(), [&](std::string_view file) {
    const std::size_t end = file.find(".so.");
    if (end == std::string_view::npos) return false;
    const std::string_view stem = file.substr(0, end + 4);
    return name.substr(0, stem.size()) == stem && is_release(name.substr(stem.size()));
  });
}

// The row's name for a loaded object, "" if it is none of the row's. A copy that a wheel has
// renamed keeps its version definition's name.
std::string soname_in(const dl_phdr_info& info, const Piece& piece) {
  const Dynamic dynamic = read_dynamic(info);
  if (dynamic.strings == nullptr) return {};
  std::string found;
  if (dynamic.soname != 0 && names(piece, dynamic.strings + dynamic.soname)) {
    found = dynamic.strings + dynamic.soname;
  }
  const char* place = dynamic.versions;
  for (std::size_t i = 0; place != nullptr && i < dynamic.version_count; ++i) {
    const auto* definition = reinterpret_cast<const ElfW(Verdef)*>(place);
    const auto* name = reinterpret_cast<const ElfW(Verdaux)*>(place + definition->vd_aux);
    const std::string_view text = dynamic.strings + name->vda_name;
    if (text == kStubNode) return {};
    if (found.empty() && names(piece, text)) found = text;
    place = definition->vd_next != 0 ? place + definition->vd_next : nullptr;
  }
  return found;
}

struct Visit {
  const Piece* piece;
  std::vector<LoadedImage> images;
};

// The dynamic linker's lock is held: nothing here may load anything.
int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto* visit = static_cast<Visit*>(argument);
  if (info->dlpi_name == nullptr || *info->dlpi_name == '\0') return 0;
  const std::string soname = soname_in(*info, *visit->piece);
  if (!soname.empty()) visit->images.push_back({info->dlpi_name, {}, soname});
  return 0;
}

std::string full_path(const std::string& name) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(name, error);
  return error ? name : path.lexically_normal().string();
}

}  // namespace

std::vector<LoadedImage> loaded_images(const Piece& piece) {
  Visit all{&piece, {}};
  dl_iterate_phdr(visit, &all);
  for (LoadedImage& image : all.images) image.path = full_path(image.name);
  std::stable_sort(all.images.begin(), all.images.end(),
                   [](const LoadedImage& a, const LoadedImage& b) {
                     return major_of_soname(a.soname) > major_of_soname(b.soname);
                   });
  return all.images;
}

}  // namespace anycuda::compat
