// SPDX-License-Identifier: Apache-2.0

// The device code in a file. Input: the file.
#include <cstdint>
#include <cstring>
#include <vector>

#include "device_code/program/groups.h"
#include "device_code/reader.h"
#include "tests/fuzz/check.h"

namespace {

using anycuda::device_code::Bytes;
using anycuda::device_code::Entry;
using anycuda::device_code::Groups;
using anycuda::device_code::Problem;
using anycuda::device_code::Visitor;
using anycuda::fuzz::must;

struct Reading {
  std::size_t size = 0;
  std::vector<Entry> entries;
  std::size_t problems = 0;
};

void take_entry(const Entry& entry, void* argument) {
  auto* reading = static_cast<Reading*>(argument);
  must(entry.offset <= reading->size && entry.stored <= reading->size - entry.offset,
       "an entry lies inside the file");
  must(entry.target == 0 || entry.target == 'a' || entry.target == 'f', "a target is a, f or none");
  must(!entry.toolkit.known() || entry.toolkit.minor >= 0, "a toolkit has a minor");
  reading->entries.push_back(entry);
  // The shortest entry has 28 bytes, the shortest plain data some more.
  must(reading->entries.size() <= reading->size / 16 + 1, "the entries fit into the file");
}

void take_problem(const Problem& problem, void* argument) {
  auto* reading = static_cast<Reading*>(argument);
  must(problem.offset <= reading->size && std::strlen(problem.what) > 0, "a problem has a place");
  must(++reading->problems <= reading->size + 1, "problems end");
}

Reading reading_of(Bytes file) {
  Reading reading;
  reading.size = file.size;
  anycuda::device_code::read(file, {take_entry, take_problem, &reading});
  return reading;
}

std::uint64_t counted(const std::vector<Entry>& entries) {
  static Groups groups;
  groups.clear();
  std::uint64_t count = 0, left_out = 0;
  for (const Entry& entry : entries) left_out += groups.add(entry) ? 0 : 1;
  for (const auto& group : groups) count += group.entries;
  return count + left_out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Reading reading = reading_of({data, size});
  const Reading again = reading_of({data, size});
  must(reading.entries.size() == again.entries.size() && reading.problems == again.problems,
       "twice the same");
  must(counted(reading.entries) == reading.entries.size(), "each entry is in one group");
  return 0;
}
