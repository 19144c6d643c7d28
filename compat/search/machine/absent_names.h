// SPDX-License-Identifier: Apache-2.0

// Files and folders that the process's stubs have asked for, and that do not exist. The stubs share
// one table of them (docs/copies.md): after the first search, a further stub asks only for what
// exists. (Implemented in machine.cc.)
#pragma once

#include <atomic>
#include <cstdint>

namespace anycuda {

class AbsentNames {
 public:
  // Of the table, filled one after the other; 0: free. Copies of other versions read it: only
  // docs/copies.md may change it.
  using Place = std::atomic<std::uint64_t>;
  static constexpr int kPlaces = 240;

  // Odd. Of several texts: the product.
  static std::uint64_t hash(const char* text);
  // 0 for a relative path, whose meaning changes with the current folder: it is never kept.
  static std::uint64_t name_of(const char* path) { return *path == '/' ? hash(path) : 0; }

  AbsentNames() = default;
  explicit AbsentNames(Place* places) : places_(places) {}
  bool any() const { return places_ != nullptr && places_[0].load() != 0; }
  bool has(std::uint64_t name) const { return look(name, false); }
  // If there is a free place.
  void add(std::uint64_t name) const { look(name, true); }
  // The same, if errno tells that it does not exist. Returns `exists`.
  bool note(std::uint64_t name, bool exists) const;
  // exists(path), unless it is known. A path without memory (nullptr) does not exist.
  bool find(const char* path, bool (*exists)(const char* path)) const;

 private:
  bool look(std::uint64_t name, bool adds) const;

  Place* places_ = nullptr;
};

// The table of this process, which stays for the rest of it; empty until it is shared.
void share_absent_names(AbsentNames::Place* places);
AbsentNames shared_absent_names();

}  // namespace anycuda
