// How contents_of reads an input: one function for each form of device code. No byte is copied.
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
  // Of an object or a member: how many fatbins it holds that can be linked, and whether it holds
  // code of a whole program.
  struct HostCode {
    unsigned fatbins = 0;
    bool whole = false;
  };
  HostCode host(Bytes elf, const std::string& place);
  void member(Bytes content, const std::string& place, unsigned* linkable);
  // Only the first is kept.
  void problem(const std::string& what);
  // All bytes from `end` on are zero, or there is a problem.
  void nothing_behind(Bytes file, std::uint64_t end, const char* what);
  bool reaches(std::uint32_t architecture) const;  // may be linked for the target, PTX and LTO-IR
  bool fits(std::uint32_t architecture) const;     // the same of a CUBIN

  const Target target_;
  Contents& out_;
};

// Up to where its headers and its sections reach.
std::uint64_t end_of_elf(Bytes elf);

constexpr char kIt[] = "it";  // the place of what is in no member
constexpr char kNeedsRelocatable[] =
    "compile it with -rdc=true (Program: ProgramOptions::relocatable)";

}  // namespace anycuda::linker
