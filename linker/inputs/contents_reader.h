// SPDX-License-Identifier: Apache-2.0

// Reads an input for contents_of(): one function for each form of device code. Copies no bytes.
#pragma once

#include "device_code/bytes.h"
#include "device_code/fatbin.h"
#include "linker/inputs/contents.h"

namespace anycuda::linker {

using device_code::Bytes;

class ContentsReader {
 public:
  ContentsReader(const Target& target, Contents* out) : target_(target), out_(*out) {}

  void ptx(Bytes text);
  void lto_ir(Bytes ir);
  void cubin(Bytes elf);
  void fatbin(Bytes file);
  void object(Bytes elf);
  void archive(Bytes file);

 private:
  void entries(Bytes fatbin, const std::string& place);
  void note(Version made_by, const std::string& what);
  void note_cubin(Bytes elf);
  // The device code in a host object, which may be a member of a library: how many fatbins can be
  // linked, and whether there is code of a whole program (compiled without -rdc=true).
  struct HostCode {
    unsigned fatbins = 0;
    bool whole = false;
  };
  HostCode host(Bytes elf, const std::string& place);
  void member(Bytes content, const std::string& place, unsigned* linkable);
  // Records a problem; later ones are ignored.
  void problem(const std::string& what);
  // Records a problem unless all bytes from `end` on are zero.
  void nothing_behind(Bytes file, std::uint64_t end, const char* what);
  // Whether code of this architecture can be linked for the target: PTX and LTO-IR; a CUBIN.
  bool reaches(std::uint32_t architecture) const;
  bool fits(std::uint32_t architecture) const;

  const Target target_;
  Contents& out_;
};

// The end of an ELF file: the largest offset that its headers and sections reach.
std::uint64_t end_of_elf(Bytes elf);

constexpr char kIt[] = "it";  // the place of code that is not in a member of a library
constexpr char kNeedsRelocatable[] =
    "compile it with -rdc=true (with Program: ProgramOptions::relocatable)";

}  // namespace anycuda::linker
