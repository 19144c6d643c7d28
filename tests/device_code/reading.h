// SPDX-License-Identifier: Apache-2.0

// The reader's results, for tests.
#pragma once

#include <string>
#include <vector>

#include "device_code/reader.h"
#include "tests/support/unit/fatbin_image.h"

namespace anycuda::device_code {

struct Reading {
  FileKind kind = FileKind::other;
  std::vector<Entry> entries;
  std::vector<std::string> problems;
};

inline Reading reading_of(const std::string& file) {
  return test::at_the_end_of_memory(file, [](const void* data, std::size_t size) {
    Reading reading;
    Visitor visitor;
    visitor.argument = &reading;
    visitor.entry = [](const Entry& entry, void* argument) {
      static_cast<Reading*>(argument)->entries.push_back(entry);
    };
    visitor.problem = [](const Problem& problem, void* argument) {
      static_cast<Reading*>(argument)->problems.push_back(problem.what);
    };
    reading.kind = read({static_cast<const unsigned char*>(data), size}, visitor);
    return reading;
  });
}

// "sm_90a of 12.4, 64 bytes at 80": what tests compare.
inline std::string describe(const Entry& entry) {
  std::string text = entry.kind == Kind::cubin    ? "sm_"
                     : entry.kind == Kind::ptx    ? "ptx "
                     : entry.kind == Kind::lto_ir ? "lto "
                                                  : "kind " + std::to_string(int(entry.kind)) + " ";
  text += std::to_string(entry.architecture);
  if (entry.target != 0) text += entry.target;
  const Version version = entry.kind == Kind::cubin ? entry.toolkit : entry.format;
  text += version.known()
              ? " of " + std::to_string(version.major) + "." + std::to_string(version.minor)
              : " of ?";
  text += ", " + std::to_string(entry.stored) + " at " + std::to_string(entry.offset);
  return entry.plain_data ? text + ", plain" : text;
}

inline std::vector<std::string> described(const Reading& reading) {
  std::vector<std::string> texts;
  for (const Entry& entry : reading.entries) texts.push_back(describe(entry));
  return texts;
}

// A cubin's header, as ptxas up to CUDA 12.7 writes it.
inline std::string cubin(unsigned architecture, unsigned toolkit = 124,
                         unsigned more_flags = 0x500) {
  std::string header(64, '\0');
  header.replace(0, 9,
                 std::string("\x7f"
                             "ELF\2\1\1\x33\7",
                             9));
  header.replace(18, 2, test::bytes(std::uint16_t{190}));
  header.replace(20, 4, test::bytes(toolkit));
  header.replace(48, 4, test::bytes(architecture << 16 | more_flags | architecture));
  return header;
}

// And since: the toolkit is in a note, behind `distance` bytes of names.
inline std::string cubin_with_note(unsigned architecture, const std::string& note,
                                   std::size_t distance = 0) {
  std::string header = cubin(0, 1);
  header[7] = 0x41;
  header[8] = 8;
  header.replace(48, 4, test::bytes(0x06000002u | architecture << 8));
  header += std::string(distance, 'n') + note;
  header.replace(40, 8, test::bytes(std::uint64_t{header.size()}));
  return header;
}

inline std::string note(const std::string& version,
                        const std::string& options = "-arch sm_100a -m 64") {
  return std::string("ptxas\0Cuda compilation tools, release ", 38) + version + ", V" + version +
         ".88" + std::string(1, '\0') + options + std::string(1, '\0');
}

}  // namespace anycuda::device_code
