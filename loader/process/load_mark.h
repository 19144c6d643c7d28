// SPDX-License-Identifier: Apache-2.0

// Has the process loaded a library since? After a failed search every failing call asks that, so it
// must be very cheap, and must not take a lock of the dynamic linker: a child that is forked while
// another thread holds the lock of dl_iterate_phdr() never gets it.
//
// It must not read the list of loaded objects without that lock either: another thread may unload
// an object and free its record at any time, and an allocator may unmap what is freed (Electric
// Fence, GWP-ASan).
//
// glibc counts the objects that a process has ever loaded, in 64 bits (dlpi_adds of
// dl_iterate_phdr(3)). The counter is a word of the dynamic linker's exported variable
// _rtld_global, which is never unmapped: in every glibc from 2.17 on, at an offset that depends on
// the release and the CPU. So the offset is not built in: under the lock, every word that equals
// dlpi_adds is noted, and at each later look a word that differs from dlpi_adds is dropped. The
// counter is always among these words. If none of them has changed, nothing has been loaded.
// Another word that equals the counter by chance and changes costs one more look at the loaded
// objects.
//
// (Other ways: _dl_find_object() takes no lock, but does not tell which object is the last one. A
// system call that reads memory that may be unmapped, such as process_vm_readv(), makes a failing
// call 20 to 50 times as slow.)
#pragma once

#include <atomic>
#include <cstdint>

namespace anycuda {

// How many objects the process has ever loaded (never 0). Takes the dynamic linker's lock.
std::uint64_t load_count();
// The same, and finds the counter for LoadMark.
std::uint64_t load_count_for_mark();
// For tests: as with a libc whose counter cannot be found.
void hide_load_counter();

// If the counter is not found (no glibc has been seen in which it is not), the objects are counted
// by a walk over the list: at the first kMostWalks calls, and then at the 2048th, the 4096th and so
// on, since the number of walks must have a limit. A library that is loaded after many failures is
// then noticed late.
class LoadMark {
 public:
  static constexpr std::uint32_t kMostWalks = 1024;

  bool is_set() const { return count_.load(std::memory_order_relaxed) != 0; }
  // `count`: load_count_for_mark() of that moment.
  void set(std::uint64_t count) { count_.store(count, std::memory_order_release); }
  // Has no library been loaded since set()? False before set().
  bool is_latest();

 private:
  bool is_latest_by_walk(std::uint64_t count);

  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint32_t> walks_{0};
};

}  // namespace anycuda
