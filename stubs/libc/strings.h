// SPDX-License-Identifier: Apache-2.0

// Functions of <string.h>, for short texts: a loop each. They return the results that the C
// standard and the function's manual page specify.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anycuda::libc {

// A word at a time: one that is aligned ends in the page in which it begins. AddressSanitizer
// counts bytes, and not pages.
[[gnu::no_sanitize_address]] inline std::size_t strlen(const char* text) {
  using Word [[gnu::may_alias]] = std::uint64_t;
  constexpr Word kOnes = ~Word{0} / 0xff;
  const char* end = text;
  for (; reinterpret_cast<std::uintptr_t>(end) % sizeof(Word) != 0; ++end) {
    if (*end == '\0') return static_cast<std::size_t>(end - text);
  }
  for (;; end += sizeof(Word)) {
    const Word word = *reinterpret_cast<const Word*>(end);
    if (((word - kOnes) & ~word & (kOnes << 7)) != 0) break;
  }
  while (*end != '\0') ++end;
  return static_cast<std::size_t>(end - text);
}

inline int strncmp(const char* a, const char* b, std::size_t most) {
  for (std::size_t i = 0; i < most; ++i) {
    const int difference = static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
    if (difference != 0 || a[i] == '\0') return difference;
  }
  return 0;
}

inline int strcmp(const char* a, const char* b) {
  for (; *a == *b && *a != '\0'; ++a) ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

inline int memcmp(const void* a, const void* b, std::size_t size) {
  const auto* left = static_cast<const unsigned char*>(a);
  const auto* right = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) return left[i] - right[i];
  }
  return 0;
}

// memchr() is libc's: headers and lists of megabytes are searched.
inline void* memmem(const void* text, std::size_t size, const void* part, std::size_t part_size) {
  const auto* at = static_cast<const char*>(text);
  if (part_size == 0) return const_cast<char*>(at);
  while (part_size <= size) {
    const char first = *static_cast<const char*>(part);
    const auto* found = static_cast<const char*>(__builtin_memchr(at, first, size - part_size + 1));
    if (found == nullptr) return nullptr;
    if (memcmp(found, part, part_size) == 0) return const_cast<char*>(found);
    size -= static_cast<std::size_t>(found + 1 - at);
    at = found + 1;
  }
  return nullptr;
}

inline const char* strstr(const char* text, const char* part) {
  const std::size_t length = strlen(part);
  for (; strncmp(text, part, length) != 0; ++text) {
    if (*text == '\0') return nullptr;
  }
  return text;
}

inline const char* strrchr(const char* text, int wanted) {
  for (const char* end = text + strlen(text);; --end) {
    if (*end == static_cast<char>(wanted)) return end;
    if (end == text) return nullptr;
  }
}

// How many characters at the start are not among `others`.
inline std::size_t strcspn(const char* text, const char* others) {
  std::size_t length = 0;
  if (others[0] != '\0' && (others[1] == '\0' || others[2] == '\0')) {
    const char first = others[0];
    const char second = others[1];
    while (text[length] != '\0' && text[length] != first && text[length] != second) ++length;
    return length;
  }
  for (; text[length] != '\0'; ++length) {
    for (const char* other = others; *other != '\0'; ++other) {
      if (text[length] == *other) return length;
    }
  }
  return length;
}

inline char* strcpy(char* into, const char* text) {
  std::size_t i = 0;
  do into[i] = text[i];
  while (text[i++] != '\0');
  return into;
}

// Fills the rest with zeroes; without room for one it writes none.
inline char* strncpy(char* into, const char* text, std::size_t size) {
  std::size_t i = 0;
  for (; i < size && text[i] != '\0'; ++i) into[i] = text[i];
  for (; i < size; ++i) into[i] = '\0';
  return into;
}

inline void* memset(void* place, int value, std::size_t size) {
  auto* bytes = static_cast<char*>(place);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(value);
  return place;
}

inline void* memcpy(void* into, const void* from, std::size_t size) {
  using Word [[gnu::may_alias, gnu::aligned(1)]] = std::uint64_t;
  auto* target = static_cast<char*>(into);
  const auto* source = static_cast<const char*>(from);
  std::size_t i = 0;
  for (; size - i >= sizeof(Word); i += sizeof(Word)) {
    *reinterpret_cast<Word*>(target + i) = *reinterpret_cast<const Word*>(source + i);
  }
  for (; i < size; ++i) target[i] = source[i];
  return into;
}

// The two may overlap.
inline void* memmove(void* into, const void* from, std::size_t size) {
  auto* target = static_cast<char*>(into);
  const auto* source = static_cast<const char*>(from);
  if (target < source) return memcpy(into, from, size);
  for (std::size_t i = size; i > 0; --i) target[i - 1] = source[i - 1];
  return into;
}

}  // namespace anycuda::libc
