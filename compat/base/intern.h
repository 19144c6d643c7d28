// SPDX-License-Identifier: Apache-2.0

// Small records that live until the process ends: the opened library, the driver.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "compat/base/shortage.h"

namespace anycuda {

// A copy of `record` whose `member` points to a copy of `text` behind it; nullptr without memory.
// Never freed: other threads may hold it.
template <typename Record>
const Record* intern(const Record& record, const char* Record::*member, const char* text) {
  const std::size_t length = std::strlen(text) + 1;
  void* pages = mmap(nullptr, sizeof(Record) + length, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    note_shortage(ENOMEM);
    return nullptr;
  }
  auto* copy = new (pages) Record(record);
  char* behind = static_cast<char*>(pages) + sizeof(Record);
  std::memcpy(behind, text, length);
  copy->*member = behind;
  return copy;
}

}  // namespace anycuda
