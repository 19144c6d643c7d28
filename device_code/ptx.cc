// SPDX-License-Identifier: Apache-2.0
#include "device_code/ptx.h"

#include "device_code/number.h"

namespace anycuda::device_code {
namespace {

constexpr char kVersion[] = ".version";
constexpr char kTarget[] = ".target";
// Between the two lines may be comments; nothing else.
constexpr std::size_t kBetween = 512;
// Comments of a compiler stand before the first line.
constexpr std::size_t kBefore = 4096;

bool blank(unsigned char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

std::size_t skip_comment(Bytes text, std::size_t at) {
  const bool line = text.from(at).begins_with("//", 2);
  if (!line && !text.from(at).begins_with("/*", 2)) return at;
  const std::size_t end = line ? text.find("\n", 1, at) : text.find("*/", 2, at + 2);
  const std::size_t behind = end + (line ? 1 : 2);
  return behind < text.size ? behind : text.size;
}

std::size_t skip_blanks(Bytes text, std::size_t at) {
  for (;;) {
    while (at < text.size && blank(text.data[at])) ++at;
    const std::size_t behind = skip_comment(text, at);
    if (behind == at) return at;
    at = behind;
  }
}

}  // namespace

PtxHeader read_ptx_header(Bytes whole) {
  const Bytes text = whole.part(0, kBetween);
  if (!text.begins_with(kVersion, sizeof kVersion - 1)) return {};
  std::size_t at = skip_blanks(text, sizeof kVersion - 1);
  PtxHeader header;
  header.version = read_version(text.from(at));
  while (at < text.size && !blank(text.data[at])) ++at;
  at = skip_blanks(text, at);
  if (!text.from(at).begins_with(kTarget, sizeof kTarget - 1)) return {};
  at = skip_blanks(text, at + sizeof kTarget - 1);
  if (!text.from(at).begins_with("sm_", 3)) return {};
  at += 3;
  const int architecture = read_number(text, &at);
  if (architecture <= 0) return {};
  header.architecture = static_cast<std::uint32_t>(architecture);
  if (at < text.size && (text.data[at] == 'a' || text.data[at] == 'f')) {
    header.target = static_cast<char>(text.data[at++]);
  }
  header.size = at;
  return header;
}

std::size_t find_ptx(Bytes text) {
  const std::size_t at = skip_blanks(text.part(0, kBefore), 0);
  return text.from(at).begins_with(kVersion, sizeof kVersion - 1) ? at : text.size;
}

}  // namespace anycuda::device_code
