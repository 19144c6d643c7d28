// SPDX-License-Identifier: Apache-2.0
#include "stubs/libc/strings.h"

namespace own = anycuda::libc;

// The compiler calls some of these itself, so their names must be libc's.
extern "C" {
std::size_t strlen(const char* text) { return own::strlen(text); }
int strcmp(const char* a, const char* b) { return own::strcmp(a, b); }
int strncmp(const char* a, const char* b, std::size_t most) { return own::strncmp(a, b, most); }
int memcmp(const void* a, const void* b, std::size_t size) { return own::memcmp(a, b, size); }
void* memmem(const void* text, std::size_t size, const void* part, std::size_t part_size) {
  return own::memmem(text, size, part, part_size);
}
const char* strstr(const char* text, const char* part) { return own::strstr(text, part); }
const char* strrchr(const char* text, int wanted) { return own::strrchr(text, wanted); }
std::size_t strcspn(const char* text, const char* others) { return own::strcspn(text, others); }
char* strcpy(char* into, const char* text) { return own::strcpy(into, text); }
char* strncpy(char* into, const char* text, std::size_t size) {
  return own::strncpy(into, text, size);
}
void* memset(void* place, int value, std::size_t size) { return own::memset(place, value, size); }
void* memcpy(void* into, const void* from, std::size_t size) {
  return own::memcpy(into, from, size);
}
void* memmove(void* into, const void* from, std::size_t size) {
  return own::memmove(into, from, size);
}
}
