// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/ld_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include "compat/base/shortage.h"

namespace anycuda {
namespace {

// The format that glibc 2.2 introduced ("new format"); since 2.32 it is the only one in the file,
// before it stands behind the old one, aligned to 8 bytes.
constexpr char kMagic[] = "glibc-ld.so.cache1.1";
constexpr char kOldMagic[] = "ld.so-1.7.0";
constexpr std::size_t kMaxSize = std::size_t{8} << 20;

struct Header {
  char magic[20];
  std::uint32_t libraries;
  std::uint32_t strings_size;
  std::uint8_t flags;
  std::uint8_t padding[3];
  std::uint32_t extension;
  std::uint32_t unused[3];
};

struct Entry {
  std::int32_t flags;
  std::uint32_t name;  // offsets from the header
  std::uint32_t path;
  std::uint32_t os_version;
  std::uint64_t hardware;
};

#if defined(__x86_64__)
constexpr std::int32_t kFlags = 0x0303;  // FLAG_X8664_LIB64 | FLAG_ELF_LIBC6
#else
constexpr std::int32_t kFlags = 0x0a03;  // FLAG_AARCH64_LIB64 | FLAG_ELF_LIBC6
#endif

std::size_t read_whole(const char* path, Arena* arena, const char** content) {
  // O_NONBLOCK: a pipe of that name must not stop the program.
  const auto file = static_cast<int>(noted(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
  if (file < 0) return 0;
  struct stat status;
  std::size_t size = 0;
  if (noted(fstat(file, &status)) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::size_t>(status.st_size) <= kMaxSize) {
    size = static_cast<std::size_t>(status.st_size);
  }
  auto* place = static_cast<char*>(arena->take(size + 1));  // + 1: ends any open string
  std::size_t done = 0;
  while (place != nullptr && done < size) {
    const ssize_t got = noted(read(file, place + done, size - done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  close(file);
  *content = place;
  return done;
}

const char* find_header(const char* content, std::size_t size) {
  if (size < sizeof(Header)) return nullptr;
  if (std::memcmp(content, kMagic, sizeof kMagic - 1) == 0) return content;
  if (std::memcmp(content, kOldMagic, sizeof kOldMagic - 1) != 0) return nullptr;
  std::uint32_t libraries = 0;
  std::memcpy(&libraries, content + 12, sizeof libraries);
  const std::size_t offset = (16 + std::size_t{libraries} * 12 + 7) / 8 * 8;
  if (offset > size - sizeof(Header)) return nullptr;
  return std::memcmp(content + offset, kMagic, sizeof kMagic - 1) == 0 ? content + offset : nullptr;
}

}  // namespace

void each_cached_library(const char* root, const char* prefix, Arena* arena,
                         void (*visit)(const char*, void*), void* argument) {
  const char* cache = arena->join(root, "etc/ld.so.cache");
  const char* content = nullptr;
  const std::size_t size = cache != nullptr ? read_whole(cache, arena, &content) : 0;
  const char* start = find_header(content, size);
  if (start == nullptr) return;
  const std::size_t left = size - static_cast<std::size_t>(start - content);
  Header header;
  std::memcpy(&header, start, sizeof header);
  const std::size_t length = std::strlen(prefix);
  for (std::uint32_t i = 0; i < header.libraries; ++i) {
    const std::size_t offset = sizeof header + std::size_t{i} * sizeof(Entry);
    if (offset + sizeof(Entry) > left) return;
    Entry entry;
    std::memcpy(&entry, start + offset, sizeof entry);
    if (entry.flags != kFlags || entry.name + length > left || entry.path >= left) continue;
    // The last letter first: all names begin alike.
    const char* name = start + entry.name;
    if (name[length - 1] != prefix[length - 1] || std::strncmp(name, prefix, length) != 0) continue;
    const char* path = start + entry.path;
    // No file has a longer path; copying many entries with paths of megabytes would take too long.
    if (*path != '/' || std::memchr(path, '\0', PATH_MAX) == nullptr) continue;
    const char* full = *root != '\0' ? arena->format("%s%s", root, path) : arena->copy(path);
    if (full != nullptr) visit(full, argument);
  }
}

}  // namespace anycuda
