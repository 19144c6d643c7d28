// SPDX-License-Identifier: Apache-2.0

// Entries of the Linker's cache. Input: a byte that is odd if the header is to be made to fit, then
// the entry or its content.
#include <cstdint>
#include <string>
#include <string_view>

#include "linker/cache/record.h"
#include "tests/fuzz/check.h"

namespace {

using anycuda::fuzz::must;
using namespace anycuda::linker;

std::string with_header(std::string_view content) {
  const std::string any = entry_of("", {});
  std::string entry = any.substr(0, any.size() - 3 * 8);  // without length, checksum and key
  for (const std::uint64_t number : {std::uint64_t{content.size()}, hash_of(content)}) {
    for (int i = 0; i < 8; ++i) entry += static_cast<char>(number >> (8 * i));
  }
  return entry.append(content);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string entry = (data[0] & 1) != 0 ? with_header(text) : std::string(text);
  const Entry read = read_entry(entry, "key");
  must(!read.damaged || !read.value, "a damaged entry has no value");
  if (read.damaged) return 0;
  must(read_entry(entry.substr(0, entry.size() - 1), "key").damaged,
       "a truncated entry is damaged");
  if (!read.value) return 0;
  must(entry_of("key", *read.value) == entry, "a value is written again with the same bytes");
  must(!read_entry(entry, "another").value, "another key has no value");
  return 0;
}
