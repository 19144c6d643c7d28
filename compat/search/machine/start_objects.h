// SPDX-License-Identifier: Apache-2.0

// Loaded objects, read without the lock of dl_iterate_phdr(): a child that is forked while another
// thread holds this lock never gets it (tests/threads/README.md).
#pragma once

#include <link.h>

namespace anycuda {

// The objects that the program starts with, up to libc and the dynamic linker. They are the first
// of the list of loaded objects, and stay. Both nullptr: not known, or the caller is in another
// namespace (dlmopen).
struct StartObjects {
  const link_map* first;
  const link_map* last;
};
StartObjects start_objects();

// The kernel's, whose names LoadedNames cannot read from its entry in the list.
bool is_vdso(const link_map& object);

// The object that was loaded after this one; nullptr: it is the last.
inline const link_map* next_object(const link_map& object) {
  return __atomic_load_n(&object.l_next, __ATOMIC_ACQUIRE);
}

// struct dl_find_object of glibc 2.35, for an older one's headers.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* object;
  void* eh_frame;
  unsigned long long reserved[7];
};
// The object at an address, by glibc's _dl_find_object(). nullptr: none, or it is being loaded or
// unloaded, or glibc is older than 2.35.
const FoundObject* object_at(ElfW(Addr) address, FoundObject* found);

}  // namespace anycuda
