// SPDX-License-Identifier: Apache-2.0
#include "device_code/cubin.h"

#include "device_code/number.h"

namespace anycuda::device_code {
namespace {

constexpr unsigned char kElf64[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
constexpr std::uint16_t kCudaMachine = 190;
constexpr std::size_t kAbi = 8, kMachine = 18, kVersion = 20, kPhoff = 32, kShoff = 40, kFlags = 48,
                      kPhentsize = 54;

// ABI 8 (CUDA 12.8 on for sm_100, 13.0 on for all) has the architecture in bits 8 to 23 and no
// version in its header. Up to ABI 7 the version is 10 * major + minor, the architecture the lowest
// byte, and a bit says that it is for this architecture only.
constexpr unsigned kFirstAbiWithNotes = 8;
constexpr std::uint32_t kOnlyThis = 0x800;
constexpr std::uint32_t kFirstWithA = 90;  // cubins in the driver have the bit for older ones

constexpr char kTool[] = "Cuda compilation tools, release ";
constexpr char kOption[] = "-arch sm_";

std::uint64_t later(std::uint64_t one, std::uint64_t other) { return one > other ? one : other; }

// Up to where its tables of headers reach: they are what ptxas writes last.
std::uint64_t end_of(Bytes file) {
  std::uint64_t segments = 0, sections = 0;
  std::uint16_t sizes[4] = {};  // of a segment's header, how many; of a section's, how many
  if (!file.read(kPhoff, &segments) || !file.read(kShoff, &sections) ||
      !file.read(kPhentsize, &sizes)) {
    return kCubinHeader;
  }
  const auto end = [&file](std::uint64_t table, std::uint64_t size, std::uint64_t count) {
    return table > file.size ? 0 : table + size * count;
  };
  return later(kCubinHeader,
               later(end(segments, sizes[0], sizes[1]), end(sections, sizes[2], sizes[3])));
}

}  // namespace

bool is_cubin(Bytes file) {
  std::uint16_t machine = 0;
  return file.size >= kCubinHeader && file.begins_with(kElf64, sizeof kElf64) &&
         file.read(kMachine, &machine) && machine == kCudaMachine;
}

CubinHeader read_cubin_header(Bytes file) {
  CubinHeader header;
  std::uint8_t abi = 0;
  std::uint32_t version = 0, flags = 0;
  if (!file.read(kAbi, &abi) || !file.read(kVersion, &version) || !file.read(kFlags, &flags)) {
    return header;
  }
  header.size = end_of(file);
  if (abi >= kFirstAbiWithNotes) {
    header.architecture = flags >> 8 & 0xffff;
    return header;
  }
  header.architecture = flags & 0xff;
  header.target = (flags & kOnlyThis) != 0 && header.architecture >= kFirstWithA ? 'a' : '\0';
  if (version >= 10 && version < 1000) {
    header.toolkit = {static_cast<int>(version / 10), static_cast<int>(version % 10)};
  }
  return header;
}

Version toolkit_of_note(Bytes beginning) {
  const std::size_t found = beginning.find(kTool, sizeof kTool - 1);
  return read_version(beginning.from(found + sizeof kTool - 1));
}

char target_of_note(Bytes beginning) {
  const std::size_t tool = beginning.find(kTool, sizeof kTool - 1);
  const Bytes note = beginning.part(tool, 4096);
  const std::size_t found = note.find(kOption, sizeof kOption - 1);
  const Bytes name = note.from(found + sizeof kOption - 1);
  std::size_t digits = 0;
  while (digits < name.size && name.data[digits] >= '0' && name.data[digits] <= '9') ++digits;
  if (digits == 0 || digits == name.size) return 0;
  const char letter = static_cast<char>(name.data[digits]);
  return letter == 'a' || letter == 'f' ? letter : '\0';
}

}  // namespace anycuda::device_code
