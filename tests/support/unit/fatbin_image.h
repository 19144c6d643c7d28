// SPDX-License-Identifier: Apache-2.0

// Fatbins for tests, byte by byte.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace anycuda::test {

template <typename T>
std::string bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

constexpr std::uint16_t kPtx = 1, kCubin = 2, kLtoIr = 8, kConcatenated = 256;

// What an entry's header says beside its kind.
struct EntryHeader {
  std::uint16_t major = 1;
  std::uint16_t minor = 7;
  std::uint32_t architecture = 0;
  std::uint64_t flags = 0x11;
  std::uint64_t unpacked = 0;
};

inline std::string entry(std::uint16_t kind, const EntryHeader& header,
                         const std::string& content) {
  const auto size = static_cast<std::uint32_t>(content.size());
  return bytes(kind) + bytes(std::uint16_t{0x101}) + bytes(std::uint32_t{64}) +
         bytes(std::uint64_t{size}) + bytes(size) + bytes(std::uint32_t{64}) + bytes(header.minor) +
         bytes(header.major) + bytes(header.architecture) + bytes(std::uint64_t{0}) +
         bytes(header.flags) + bytes(std::uint64_t{0}) + bytes(header.unpacked) + content;
}

// A text behind a header, as the compiler's options and names of entries are.
inline std::string filled(std::string text) {
  text.resize((text.size() + 8) / 8 * 8);
  return text;
}

// A code of a concatenated entry, `size` bytes at `place` of its content.
inline std::string row(std::uint16_t kind, const EntryHeader& header, std::uint32_t place,
                       std::uint64_t size) {
  std::string made = entry(kind, header, "");
  made.replace(4, 4, bytes(place));
  made.replace(8, 8, bytes(size));
  made.replace(20, 4, bytes(std::uint32_t{0}));
  return made;
}
inline std::string with_options(std::string row, const std::string& options) {
  const auto at = static_cast<std::uint32_t>(row.size());
  row.replace(20, 4, bytes(at));
  return row + bytes(at + 8) + bytes(static_cast<std::uint32_t>(options.size())) + filled(options);
}
inline std::string with_name(std::string row, const std::string& name) {
  row.replace(32, 4, bytes(static_cast<std::uint32_t>(row.size())));
  row.replace(36, 4, bytes(static_cast<std::uint32_t>(name.size())));
  return row + filled(name);
}

inline std::string concatenated(std::uint32_t count, const std::string& rows,
                                const std::string& content, const EntryHeader& header = {}) {
  const auto size = static_cast<std::uint32_t>(8 + rows.size());
  std::string made = entry(kConcatenated, header, content);
  made.replace(4, 4, bytes(64 + size));
  return made.insert(64, bytes(count) + bytes(size) + rows);
}

inline std::string fatbin(const std::string& entries) {
  return bytes(std::uint32_t{0xba55ed50}) + bytes(std::uint16_t{1}) + bytes(std::uint16_t{16}) +
         bytes(std::uint64_t{entries.size()}) + entries;
}

// Calls `read` with bytes that end where memory ends: a read past them is a crash.
template <typename Read>
auto at_the_end_of_memory(const std::string& input, Read read) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = (input.size() / page + 2) * page;
  auto* memory = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + size - page, page, PROT_NONE);
  char* place = memory + size - page - input.size();
  std::memcpy(place, input.data(), input.size());
  const auto result = read(place, input.size());
  munmap(memory, size);
  return result;
}

}  // namespace anycuda::test
