// SPDX-License-Identifier: Apache-2.0

// RPM's database: rpmdb.sqlite or Packages, with the headers in it. Input: the database.
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "compat/search/toolkit/records/rpm_header.h"
#include "compat/search/toolkit/rpm/rpm_database.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

namespace {

using anycuda::fuzz::must;

struct Reading {
  anycuda::PagedFile file;
  int headers;
};

void visit(anycuda::PagedValue* value, void* argument) {
  auto* reading = static_cast<Reading*>(argument);
  ++reading->headers;
  std::vector<char> bytes((value->left < 65536 ? value->left : 65536) + 1);
  const std::string_view header(bytes.data(), bytes.size() - 1);
  reading->file.take(value, bytes.data(), static_cast<std::uint32_t>(header.size()));
  const std::string_view name = anycuda::rpm_name(header);
  must(name.data() >= header.data() && name.data() + name.size() <= header.data() + header.size(),
       "a name is part of its header");
  must(!anycuda::rpm_lists(header, "/"), "a folder is not a file");
  anycuda::rpm_lists(header, "/usr/share/files/libcudart.so.12.9.79");
  anycuda::rpm_lists(header, "/usr/local/cuda-12.9/targets/x86_64-linux/lib/libcudart.so.12.9.79");
}

int headers_of(const anycuda::fuzz::MemoryFile& database) {
  const auto reading = std::make_unique<Reading>();  // zeroed
  must(reading->file.open(database.path().c_str()) == anycuda::TextState::read, "a file is read");
  if (reading->file.format() != anycuda::PageFormat::unknown) {
    const bool sound = anycuda::each_rpm_header(&reading->file, visit, reading.get());
    must(sound == reading->file.sound(), "a damaged database is not sound");
  }
  reading->file.close();
  return reading->headers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static anycuda::fuzz::MemoryFile database;
  database.fill(data, size);
  must(headers_of(database) == headers_of(database), "twice the same");
  return 0;
}
