// SPDX-License-Identifier: Apache-2.0
#include "linker/inputs/contents_reader.h"

#include "device_code/cubin.h"
#include "device_code/ptx.h"
#include "device_code/sections.h"
#include "linker/base/message_text.h"
#include "linker/inputs/releases.h"

namespace anycuda::linker {
namespace {

using device_code::Entry;
using device_code::Kind;

bool is_final(Bytes cubin) {
  std::uint16_t type = ET_NONE;
  return device_code::is_cubin(cubin) && cubin.read(offsetof(Elf64_Ehdr, e_type), &type) &&
         type == ET_EXEC;
}

std::uint64_t later(std::uint64_t one, std::uint64_t other) { return one > other ? one : other; }

// Where a second module of LTO-IR begins; the size of `ir` if it is one module. The header leaves
// out the module's length, and its packed bytes may contain the four bytes of the magic number: the
// two sizes in the header (the same from CUDA 12.3 to 13.5) must agree, too.
std::size_t second_lto_ir(Bytes ir) {
  using device_code::kLtoIr;
  constexpr std::uint64_t kSizes = 16;
  std::uint64_t first = 0;
  if (!ir.begins_with(kLtoIr, sizeof kLtoIr) || !ir.read(kSizes, &first)) return ir.size;
  std::size_t at = 1;
  for (std::uint64_t sizes = 0; at < ir.size; ++at) {
    at = ir.find(kLtoIr, sizeof kLtoIr, at);
    if (ir.read(at + kSizes, &sizes) && sizes == first) break;
  }
  return at < ir.size ? at : ir.size;
}

}  // namespace

std::uint64_t end_of_elf(Bytes elf) {
  Elf64_Ehdr header;
  if (!elf.read(0, &header) || !device_code::has_our_sections(header)) return elf.size;
  std::uint64_t end =
      later(sizeof header, header.e_phoff + std::uint64_t{header.e_phentsize} * header.e_phnum);
  const device_code::Sections sections = device_code::sections_of(elf, header);
  if (sections.count == 0) return elf.size;
  end = later(end, sections.at + sections.count * sizeof(Elf64_Shdr));
  for (std::uint64_t i = 0; i < sections.count; ++i) {
    Elf64_Shdr section;
    if (!sections.header(i, &section)) break;
    const Bytes content = sections.content(section);
    if (content.size != 0) end = later(end, section.sh_offset + content.size);
  }
  return end;
}

void ContentsReader::problem(const std::string& what) {
  if (out_.problem.empty()) out_.problem = what;
}

void ContentsReader::nothing_behind(Bytes file, std::uint64_t end, const char* what) {
  for (std::uint64_t at = end; at < file.size; ++at) {
    if (file.data[at] == 0) continue;
    return problem("has " + std::to_string(file.size - end) + " bytes after " + what +
                   ", from byte " + std::to_string(end) + " on (byte " + std::to_string(at) +
                   " is not zero), which no linker reads: give each module as a separate input");
  }
}

bool ContentsReader::reaches(std::uint32_t architecture) const {
  return target_.architecture == 0 || architecture <= target_.architecture;
}

bool ContentsReader::fits(std::uint32_t architecture) const {
  return target_.architecture == 0 || architecture / 10 == target_.architecture / 10;
}

void ContentsReader::note(Version made_by, const std::string& what) {
  if (!older(out_.made_by, made_by)) return;
  out_.made_by = made_by;
  out_.newest = what;
}

void ContentsReader::note_cubin(Bytes elf) {
  const Version toolkit = device_code::read_cubin_header(elf).toolkit;
  note(toolkit.known() ? toolkit : device_code::toolkit_of_note(elf), "a CUBIN");
}

void ContentsReader::ptx(Bytes text) {
  out_.without_lto_ir = kIt;
  nothing_behind(text, text.find("", 1), "its text");
  const Bytes code = text.from(device_code::find_ptx(text));
  const Version version = device_code::read_ptx_header(code).version;
  note(cuda_of_ptx(version), "PTX " + describe(version));
}

void ContentsReader::lto_ir(Bytes ir) {
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  if (ir.read(4, &major) && ir.read(5, &minor)) note(cuda_of_lto_ir({major, minor}), "LTO-IR");
  // nvJitLink 12.9 ends the process on 12 and more of them.
  constexpr std::size_t kMostZeros = 11;
  std::size_t end = ir.size;
  while (end > 0 && ir.data[end - 1] == 0) --end;
  if (ir.size - end > kMostZeros) {
    problem("has " + std::to_string(ir.size - end) + " zero bytes at its end, from byte " +
            std::to_string(end) +
            " on, which are not part of the LTO-IR: pass as many bytes as the compiler returned "
            "(nvrtcGetLTOIRSize)");
  }
  // nvJitLink 12.3 and 12.9 call exit() or crash on some pairs of modules, and 13.5
  // refuses them all.
  if (const std::size_t second = second_lto_ir(ir); second != ir.size) {
    problem("has a second LTO-IR module, from byte " + std::to_string(second) +
            " on, with which nvJitLink fails or ends the process: give each module as a separate "
            "input");
  }
  out_.lto_ir = true;
  out_.lto_ir_only = kIt;
}

void ContentsReader::cubin(Bytes elf) {
  out_.without_lto_ir = kIt;
  if (is_final(elf)) {
    problem(std::string("is a CUBIN of a whole program, whose code a linker leaves out: ") +
            kNeedsRelocatable + ", or load it as it is");
  }
  nothing_behind(elf, end_of_elf(elf), "the CUBIN");
  note_cubin(elf);
}

void ContentsReader::fatbin(Bytes file) {
  if (!file.begins_with(device_code::kFatbin, sizeof device_code::kFatbin)) {
    out_.opaque = true;  // of a later version
    return;
  }
  const Bytes content = device_code::entries_of(file);
  nothing_behind(file, device_code::kFatbinHeader + content.size, "the fatbin");
  entries(file, kIt);
}

// A fatbin has several forms of one module: the linker takes the best one for the target.
void ContentsReader::entries(Bytes fatbin, const std::string& place) {
  const Bytes all = device_code::entries_of(fatbin);
  std::size_t at = 0;
  device_code::FatbinEntry one;
  device_code::NextEntry next;
  bool ir = false;
  bool other = false;
  bool whole = false;
  while ((next = device_code::next_entry(all, &at, &one)) == device_code::NextEntry::found) {
    const Entry entry = device_code::describe(one);
    if (entry.kind == Kind::lto_ir) {
      ir = ir || reaches(entry.architecture);
      note(cuda_of_lto_ir(entry.format), "LTO-IR");
    } else if (entry.kind == Kind::ptx) {
      other = other || reaches(entry.architecture);
      note(cuda_of_ptx(entry.format), "PTX " + describe(entry.format));
    } else if (entry.kind == Kind::cubin && fits(entry.architecture)) {
      other = true;
      if (entry.compression != device_code::Compression::none) continue;
      whole = whole || is_final(one.content);
      note_cubin(one.content);
    }
  }
  if (next == device_code::NextEntry::damaged) {
    problem("has a damaged fatbin" + in_place(place) + ": no entry begins at its byte " +
            std::to_string(device_code::kFatbinHeader + at));
  }
  if (whole && !(ir && target_.lto)) {
    problem("holds a CUBIN of a whole program" + in_place(place) +
            ", whose code a linker leaves out: " + kNeedsRelocatable);
  }
  out_.lto_ir = out_.lto_ir || ir;
  if (ir && !other && out_.lto_ir_only.empty()) out_.lto_ir_only = place;
  if (!ir && out_.without_lto_ir.empty()) out_.without_lto_ir = place;
}

}  // namespace anycuda::linker
