// SPDX-License-Identifier: Apache-2.0

// An ld.so.cache made for a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anycuda::unit {

// This CPU, ELF, libc6.
#if defined(__x86_64__)
constexpr std::int32_t kHere = 0x0303;
#else
constexpr std::int32_t kHere = 0x0a03;
#endif

struct CachedLibrary {
  std::string name;
  std::string path;
  std::int32_t flags = kHere;
};

template <typename Number>
void put(std::string* out, Number number) {
  out->append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The format that glibc writes today.
inline std::string new_format(const std::vector<CachedLibrary>& libraries) {
  std::string out = "glibc-ld.so.cache1.1";
  put<std::uint32_t>(&out, static_cast<std::uint32_t>(libraries.size()));
  put<std::uint32_t>(&out, 0);
  out.resize(48, '\0');
  std::string strings;
  const auto place = [&](const std::string& text) {
    const std::size_t at = 48 + libraries.size() * 24 + strings.size();
    strings += text + '\0';
    return static_cast<std::uint32_t>(at);
  };
  for (const CachedLibrary& library : libraries) {
    put<std::int32_t>(&out, library.flags);
    put<std::uint32_t>(&out, place(library.name));
    put<std::uint32_t>(&out, place(library.path));
    put<std::uint32_t>(&out, 0);
    put<std::uint64_t>(&out, 0);
  }
  return out + strings;
}

}  // namespace anycuda::unit
