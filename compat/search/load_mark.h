// SPDX-License-Identifier: Apache-2.0

// Has the process loaded a library since? After a failed search every failing call asks that, so it
// must be very cheap, and must not take a lock of the dynamic linker: a child that is forked while
// another thread holds the lock of dl_iterate_phdr() never gets it.
#pragma once

#include <atomic>
#include <cstdint>

namespace anycuda {

// One object of the list: an address in it, and a print of what identifies it.
struct ListEntry {
  std::uintptr_t address = 0;
  std::uint64_t print = 0;
};
// The list of loaded objects at one moment: its last two, and how many the process had ever loaded.
struct Loads {
  ListEntry last[2];
  std::uint64_t count = 0;
};
// Walks the list, under the dynamic linker's lock.
Loads loads_now();
// Only Loads::count of that, at a fraction of the cost.
std::uint64_t load_count();

// The dynamic linker appends each object that it loads to its list. So no library has been loaded
// as long as the object that was last at the mark is still loaded and still the last. It may be
// unloaded, and its record freed: _dl_find_object() (glibc 2.35) finds the object at an address
// without a lock, and the record is read only after it has found the object. In the few
// instructions between the two another thread may unload the object; the record is then read from
// freed memory, and at worst the answer is "loaded". An object that was unloaded, and another one
// loaded in its place, differ in their extent, their sections or their records' neighbours (unless
// they are equal to the byte, with names of one length). If the last object was unloaded, the one
// before it is checked for being the last now.
//
// If _dl_find_object() cannot be used (an older glibc; the last object of a namespace of dlmopen(),
// which may be a substitute for the dynamic linker) the objects are counted, by a walk: at the
// first kMostWalks calls, and then at the 2048th, the 4096th and so on, since the number of walks
// must have a limit. A library that is loaded after many failures is then noticed late. The objects
// are counted, too, while another thread is loading the last object.
class LoadMark {
 public:
  static constexpr std::uint32_t kMostWalks = 1024;

  bool is_set() const { return last_[0].address.load(std::memory_order_relaxed) != 0; }
  void set(const Loads& loads);
  // Has no library been loaded since set()? False before set(). Two threads that call set() at the
  // same time may leave parts of both marks: at worst the answer is then "loaded".
  bool is_latest();

 private:
  bool is_latest_by_count(bool for_a_moment);

  struct AtomicEntry {
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::uint64_t> print{0};
  };
  AtomicEntry last_[2];
  std::atomic<std::uint32_t> walks_{0};
};

}  // namespace anycuda
