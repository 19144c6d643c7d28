// SPDX-License-Identifier: Apache-2.0

// Device code in a part of a file.
#pragma once

#include "device_code/fatbin.h"
#include "device_code/unpack.h"

namespace anycuda::device_code {

class RegionReader {
 public:
  RegionReader(Bytes file, const Visitor& visitor) : file_(file), visitor_(visitor) {}

  // A section that nvcc makes: fatbins, and zeros that fill up between them.
  void fatbins(Bytes region);
  // Fatbins, cubins and PTX anywhere in it.
  void search(Bytes region);

  void cubin(Bytes file, bool plain_data);
  std::size_t ptx(Bytes text, bool plain_data);
  void lto_ir(Bytes file);
  void problem(const char* what, Bytes where);

 private:
  struct Extent {
    std::size_t size = 0;  // up to where it is damaged
    bool damaged = false;
  };
  Extent fatbin(Bytes at, bool plain_data);
  void concatenated(const FatbinEntry& entry, bool plain_data);
  void complete(Bytes content, Entry* entry);
  void report(Entry entry, Bytes where, bool plain_data);
  std::uint64_t offset_of(Bytes part) const;

  Bytes file_;
  const Visitor& visitor_;
  Unpacker unpacker_;
};

}  // namespace anycuda::device_code
