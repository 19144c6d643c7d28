// SPDX-License-Identifier: Apache-2.0
#include "compat/search/toolkit/records/rpm_header.h"

#include <cstdint>
#include <cstring>

#include "compat/base/lexical_path.h"

namespace anycuda {
namespace {

constexpr std::uint32_t kName = 1000, kDirIndexes = 1116, kBaseNames = 1117, kDirNames = 1118;
constexpr std::size_t kStart = 8, kEntry = 16;

std::uint32_t number(const char* from) {
  std::uint32_t number;
  std::memcpy(&number, from, sizeof number);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  number = __builtin_bswap32(number);
#endif
  return number;
}

// The beginning of the tag's values, the header's end if it has none.
struct Values {
  const char* next;
  const char* end;
  std::uint32_t count;
};

Values values_of(std::string_view header, std::uint32_t tag) {
  const char* end = header.data() + header.size();
  if (header.size() < kStart) return {end, end, 0};
  const std::size_t start = kStart + number(header.data()) * kEntry;
  for (std::size_t at = kStart; at < start && start <= header.size(); at += kEntry) {
    const char* entry = header.data() + at;
    const std::size_t offset = start + number(entry + 8);
    if (number(entry) == tag && offset < header.size())
      return {header.data() + offset, end, number(entry + 12)};
  }
  return {end, end, 0};
}

// Takes values until one is `text`; returns its index, `count` without such a one.
std::uint32_t index_of(std::string_view text, Values* values, std::uint32_t from) {
  for (std::uint32_t i = from; i < values->count && values->next < values->end; ++i) {
    const std::string_view value(values->next);
    values->next += value.size() + 1;
    if (value == text) return i;
  }
  return values->count;
}

}  // namespace

std::string_view rpm_name(std::string_view header) { return values_of(header, kName).next; }

bool rpm_lists(std::string_view header, std::string_view path) {
  const std::string_view name = name_of(path);
  Values folders = values_of(header, kDirNames);
  Values names = values_of(header, kBaseNames);
  const Values indexes = values_of(header, kDirIndexes);
  const std::uint32_t folder = index_of({path.data(), path.size() - name.size()}, &folders, 0);
  if (folder == folders.count) return false;
  for (std::uint32_t i = 0; (i = index_of(name, &names, i)) < names.count; ++i) {
    const std::size_t left = static_cast<std::size_t>(indexes.end - indexes.next);
    if (i < left / 4 && number(indexes.next + std::size_t{4} * i) == folder) return true;
  }
  return false;
}

}  // namespace anycuda
