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

constexpr std::uint16_t kPtx = 1, kCubin = 2, kLtoIr = 8;

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
