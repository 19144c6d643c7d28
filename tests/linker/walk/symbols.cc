// SPDX-License-Identifier: Apache-2.0
#include "symbols.h"

#include <elf.h>

#include <cstring>

namespace walk {

using namespace anycuda::linker;

namespace {

template <typename T>
bool read(const std::string& bytes, std::uint64_t at, T* value) {
  if (at > bytes.size() || bytes.size() - at < sizeof *value) return false;
  std::memcpy(value, bytes.data() + at, sizeof *value);
  return true;
}

std::set<std::string> kernels_of_ptx(const std::string& ptx) {
  constexpr char kEntry[] = ".entry ";
  std::set<std::string> kernels;
  for (std::size_t at = 0; (at = ptx.find(kEntry, at)) != std::string::npos;) {
    at += sizeof kEntry - 1;
    kernels.insert(ptx.substr(at, ptx.find_first_of("( \n", at) - at));
  }
  return kernels;
}

}  // namespace

std::set<std::string> kernels_of_cubin(const std::string& cubin) {
  constexpr unsigned char kCudaEntry = 0x10;  // in st_other
  std::set<std::string> kernels;
  Elf64_Ehdr header;
  if (!read(cubin, 0, &header)) return kernels;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    Elf64_Shdr names;
    if (!read(cubin, header.e_shoff + i * sizeof section, &section)) break;
    if (section.sh_type != SHT_SYMTAB) continue;
    if (!read(cubin, header.e_shoff + section.sh_link * sizeof names, &names)) break;
    Elf64_Sym symbol;
    for (std::uint64_t at = 0; at + sizeof symbol <= section.sh_size; at += sizeof symbol) {
      if (!read(cubin, section.sh_offset + at, &symbol)) break;
      const bool defined = symbol.st_shndx != SHN_UNDEF;
      const std::uint64_t name = names.sh_offset + symbol.st_name;
      if (!defined || (symbol.st_other & kCudaEntry) == 0 || name >= cubin.size()) continue;
      kernels.insert(cubin.c_str() + name);
    }
  }
  return kernels;
}

std::set<std::string> kernels_of(const std::string& linked, Output output,
                                 const std::string& arch) {
  if (output == Output::ptx) return kernels_of_ptx(linked);
  if (output == Output::cubin) return kernels_of_cubin(linked);
  Options options;
  options.arch = arch;
  options.lto = true;
  anycuda::Linker again({Input::bytes(InputType::lto_ir, linked, "what came out")}, options);
  return kernels_of_cubin(again.link());
}

}  // namespace walk
