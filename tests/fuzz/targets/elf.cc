// SPDX-License-Identifier: Apache-2.0

// The facts in a file, read before it is loaded. Input: the file.
#include <cstdint>
#include <cstring>
#include <string>

#include "compat/search/elf/image_file.h"
#include "loader/tables.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

namespace {

using anycuda::fuzz::must;

struct Answer {
  anycuda::ImageFacts facts;
  std::string detail;
};

Answer read(const anycuda::fuzz::MemoryFile& file, std::size_t size,
            const anycuda::LibraryDescriptor& library, const anycuda::LibrarySymbols* tables) {
  static anycuda::Arena arena;
  arena.rewind(0);
  Answer answer;
  answer.facts = anycuda::read_image(file.descriptor(), size, library, tables, arena);
  if (answer.facts.detail != nullptr) answer.detail = answer.facts.detail;
  return answer;
}

void check(const anycuda::fuzz::MemoryFile& file, std::size_t size,
           const anycuda::LibraryDescriptor& library, const anycuda::LibrarySymbols* tables) {
  const Answer answer = read(file, size, library, tables);
  must(static_cast<int>(answer.facts.state) < anycuda::kStateCount,
       "the state is one of its values");
  must(answer.facts.error == 0, "a file in memory can be read");
  must(answer.detail.size() < 64, "the detail of a file is short");
  must(answer.facts.state != anycuda::FileState::usable || answer.facts.version.major > 0,
       "a usable file has a major");
  const Answer again = read(file, size, library, tables);
  must(again.facts.state == answer.facts.state && again.detail == answer.detail &&
           again.facts.version.major == answer.facts.version.major &&
           again.facts.version.minor == answer.facts.version.minor,
       "the same file gets the same answer");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static anycuda::fuzz::MemoryFile file;
  file.fill(data, size);
  check(file, size, anycuda::kLibrary, &anycuda::kTables);
  check(file, size, anycuda::kDriver, nullptr);
  // A file may shrink between fstat and read.
  check(file, size + 4096, anycuda::kLibrary, &anycuda::kTables);
  return 0;
}
