// SPDX-License-Identifier: Apache-2.0

// Objects of the host, and archives of them.
#include "device_code/archive.h"
#include "device_code/cubin.h"
#include "device_code/sections.h"
#include "linker/base/message_text.h"
#include "linker/inputs/contents_reader.h"
#include "linker/inputs/detect_type.h"

namespace anycuda::linker {
namespace {

constexpr char kNothing[] = "it holds no device code that can be linked";

// A member's name stands before its content: "name/", or "/number" into a list of long names.
std::string name_of_member(Bytes archive, std::size_t header, Bytes long_names) {
  constexpr std::size_t kSize = 16;  // ar_name
  const Bytes field = archive.part(header, kSize);
  std::string name(reinterpret_cast<const char*>(field.data), field.size);
  if (name.size() > 1 && name[0] == '/' && name[1] >= '0' && name[1] <= '9') {
    const Bytes text = long_names.from(std::strtoull(name.c_str() + 1, nullptr, 10));
    name.assign(reinterpret_cast<const char*>(text.data), text.find("/", 1));
  } else {
    name.resize(name.find_last_not_of(' ') + 1);
    if (name.size() > 1 && name.back() == '/' && name != "//") name.pop_back();
  }
  return name;
}

// Lists of symbols and of long names, of GNU ar and of BSD's.
bool is_list(const std::string& name) {
  return name == "/" || name == "//" || name == "/SYM64/" || name.rfind("__.SYMDEF", 0) == 0;
}

}  // namespace

ContentsReader::HostCode ContentsReader::host(Bytes elf, const std::string& place) {
  using device_code::kFatbin;
  HostCode code;
  Elf64_Ehdr header;
  if (!elf.read(0, &header) || !device_code::has_our_sections(header)) return code;
  const device_code::Sections sections = device_code::sections_of(elf, header);
  std::uint64_t left = elf.size;  // sections that overlap could be endless
  for (std::uint64_t i = 0; i < sections.count; ++i) {
    Elf64_Shdr section;
    if (!sections.header(i, &section)) break;
    const Bytes content = sections.content(section);
    if (sections.has_name(section, device_code::kWholeSection)) {
      code.whole = code.whole || content.size != 0;
    }
    if (!sections.has_name(section, device_code::kRelocatableSection)) continue;
    if (content.size > left) break;
    left -= content.size;
    for (std::size_t at = 0; (at = content.find(kFatbin, sizeof kFatbin, at)) < content.size;) {
      const Bytes here = content.from(at);
      if (code.fatbins++ == 0) entries(here, place);
      at += here.part(0, device_code::kFatbinHeader).size + device_code::entries_of(here).size;
    }
  }
  return code;
}

void ContentsReader::object(Bytes elf) {
  const HostCode code = host(elf, "it");
  if (code.whole) {
    problem(std::string("holds device code of a whole program, which a linker leaves out: ") +
            kNeedsRelocatable);
  } else if (code.fatbins == 0) {
    out_.warning = kNothing;
  } else if (code.fatbins > 1) {
    problem("holds " + std::to_string(code.fatbins) +
            " fatbins, of which a linker takes the first only: give the objects that it was made "
            "of");
  }
  nothing_behind(elf, end_of_elf(elf), "the object");
}

void ContentsReader::member(Bytes content, const std::string& place, unsigned* linkable) {
  const std::optional<InputType> type =
      detect_type({reinterpret_cast<const char*>(content.data), content.size});
  if (!type) return;
  if (*type != InputType::object) {
    return problem("cannot be linked: " + place + " is of type " + linker::name_of(*type) +
                   ", but a linker takes only host objects from a library: give this member as a "
                   "separate input");
  }
  const HostCode code = host(content, place);
  if (code.fatbins > 1) {
    problem("holds an object with " + std::to_string(code.fatbins) + " fatbins" + in_place(place) +
            ", of which a linker takes the first only: use the objects that it was made of");
  }
  *linkable += code.fatbins;
  if (code.whole && out_.warning.empty()) {
    out_.warning =
        "device code of a whole program is left out" + in_place(place) + ": " + kNeedsRelocatable;
  }
}

void ContentsReader::archive(Bytes file) {
  if (device_code::is_thin_archive(file)) {
    out_.opaque = true;
    return;
  }
  std::size_t at = device_code::kFirstMember;
  std::size_t header = at;
  Bytes content;
  Bytes long_names;
  unsigned linkable = 0;
  device_code::NextMember next;
  while ((next = device_code::next_member(file, &at, &content)) == device_code::NextMember::found) {
    const std::string name = name_of_member(file, header, long_names);
    if (name == "//") long_names = content;
    if (!is_list(name)) member(content, "its member " + quoted(name), &linkable);
    header = at;
  }
  if (next == device_code::NextMember::damaged) {
    problem("is damaged or truncated: no member begins at byte " + std::to_string(header) + " of " +
            std::to_string(file.size));
  }
  if (linkable == 0 && !out_.warning.empty()) {
    problem(std::string("holds device code only of whole programs, which a linker leaves out: ") +
            kNeedsRelocatable);
  }
  if (linkable == 0) out_.warning = kNothing;
}

}  // namespace anycuda::linker
