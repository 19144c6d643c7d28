// SPDX-License-Identifier: Apache-2.0
#include "device_code/archive.h"

#include <ar.h>

namespace anycuda::device_code {

bool is_archive(Bytes file) { return file.begins_with(ARMAG, SARMAG); }

bool is_thin_archive(Bytes file) { return file.begins_with("!<thin>\n", SARMAG); }

NextMember next_member(Bytes archive, std::size_t* at, Bytes* member) {
  if (*at >= archive.size) return NextMember::end;
  ar_hdr header;
  if (!archive.read(*at, &header) ||
      std::memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) != 0) {
    return NextMember::damaged;
  }
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < sizeof header.ar_size; ++digits) {
    const char digit = header.ar_size[digits];
    if (digit < '0' || digit > '9') break;
    size = 10 * size + static_cast<std::uint64_t>(digit - '0');
  }
  const std::size_t content = *at + sizeof header;
  if (digits == 0 || !archive.holds(content, size)) return NextMember::damaged;
  *member = archive.part(content, size);
  *at = content + static_cast<std::size_t>(size + (size & 1));
  return NextMember::found;
}

}  // namespace anycuda::device_code
