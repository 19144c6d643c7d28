// SPDX-License-Identifier: Apache-2.0
#include "linker/cache/library_build.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstring>
#include <string_view>

#include "linker/inputs/file_head.h"

namespace anycuda::linker {
namespace {

struct Query {
  const link_map* library;
  std::string build = {};
};

std::string hexadecimal(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    text += {kDigits[number / 16], kDigits[number % 16]};
  }
  return text;
}

// elf(5), "Notes (Nhdr)": a name and a description, each padded to four bytes.
std::string build_in(std::string_view notes) {
  constexpr char kGnu[] = "GNU";
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const std::string_view rest = notes.substr(sizeof note);
    const std::size_t name = padded(note.n_namesz);
    if (name > rest.size() || padded(note.n_descsz) > rest.size() - name) return {};
    if (note.n_type == NT_GNU_BUILD_ID &&
        rest.substr(0, note.n_namesz) == std::string_view(kGnu, sizeof kGnu)) {
      return hexadecimal(rest.substr(name, note.n_descsz));
    }
    notes = rest.substr(name + padded(note.n_descsz));
  }
  return {};
}

int look_at(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto* query = static_cast<Query*>(data);
  if (info->dlpi_addr != query->library->l_addr ||
      std::string_view(info->dlpi_name) != query->library->l_name) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum && query->build.empty(); ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* start = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    query->build = build_in({start, segment.p_memsz});
  }
  return 1;
}

std::string file_facts(const char* path) {
  struct stat status {};
  if (stat(path, &status) != 0) return {};
  return std::to_string(status.st_size) + " bytes at " + std::to_string(status.st_mtim.tv_sec) +
         "." + std::to_string(status.st_mtim.tv_nsec);
}

// Linkers put the build ID behind the program headers.
std::string build_in_file(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{64} << 10;
  const std::string head = read_head(path.c_str(), kMost).bytes;
  ElfW(Ehdr) header;
  ElfW(Phdr) segment;
  if (head.size() < sizeof header) return {};
  std::memcpy(&header, head.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t at = i * sizeof segment;
    if (header.e_phoff > head.size() || at + sizeof segment > head.size() - header.e_phoff) break;
    std::memcpy(&segment, head.data() + header.e_phoff + at, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_offset > head.size()) continue;
    std::string build = build_in(std::string_view(head).substr(segment.p_offset, segment.p_filesz));
    if (!build.empty()) return build;
  }
  return {};
}

}  // namespace

std::string build_of(const std::string& library) {
  // The reference is kept: libraries of CUDA are never closed.
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) {
    dlerror();
    return {};
  }
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return {};
  Query query{map};
  dl_iterate_phdr(look_at, &query);
  return query.build.empty() ? file_facts(map->l_name) : query.build;
}

std::string build_of_neighbour(const std::string& name, const std::string& neighbour) {
  std::string build = build_of(name);
  if (!build.empty()) return build;
  const std::string path = neighbour.substr(0, neighbour.rfind('/') + 1) + name;
  build = build_in_file(path);
  return build.empty() ? file_facts(path.c_str()) : build;
}

}  // namespace anycuda::linker
