// Has the process loaded a library since? After a failed search every failing call asks that, so it
// must be very cheap, and must not take a lock of the dynamic linker: a child that is forked while
// another thread holds the lock of dl_iterate_phdr() never gets it.
#pragma once

#include <atomic>
#include <cstdint>

namespace anycuda {

// One object of the list: an address in it, and a print of what identifies it.
struct LoadedPlace {
  std::uintptr_t address = 0;
  std::uint64_t print = 0;
};
// The list of loaded objects at one moment: its last two, and how many the process had ever loaded.
struct Loads {
  LoadedPlace last[2];
  std::uint64_t count = 0;
};
// Walks the list, under the dynamic linker's lock.
Loads loads_now();

// The dynamic linker appends each object that it loads to its list. So nothing has been loaded as
// long as the last object of that moment is there and is the last. It may be unloaded, and its
// record freed: _dl_find_object() (glibc 2.35) says without a lock which object has an address, and
// the record is read only after that has said that the object is there. In the few instructions
// between the two another thread may unload the object; what is read then lies in freed memory, and
// says at worst that something was loaded. An object that was unloaded, and another one loaded in
// its place, differ in their extent, their sections or their records' neighbours (unless they were
// built alike to the byte, with names of one length). Where the last object was unloaded, the one
// before it says whether it is the last now.
//
// Where that cannot be asked (an older glibc; the last object of a namespace of dlmopen(), which
// may be a substitute for the dynamic linker) the objects are counted, by a walk: at the first
// kMostWalks calls, and then at the 2048th, the 4096th and so on, since the number of walks must
// have a limit. A library that is loaded after many failures is then noticed late. They are
// counted, too, in the moment in which another thread loads the last object.
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

  struct Place {
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::uint64_t> print{0};
  };
  Place last_[2];
  std::atomic<std::uint32_t> walks_{0};
};

}  // namespace anycuda
