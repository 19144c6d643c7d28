// SPDX-License-Identifier: Apache-2.0

// An allocator to be preloaded, which finds reads and writes of freed memory and behind a block: a
// program that makes one crashes there. A block of up to a page lies at the end of its own page, in
// front of a page without access; free() takes the access to the block's page, too, and the page is
// used again only after kSlots - kMostLive more blocks. Larger blocks are glibc's. A process can
// have a limited number of mappings, and NVIDIA's library does not free all of its blocks: so the
// more blocks are in use, the smaller is the part of small blocks that are guarded. Blocks of the
// size of the dynamic linker's records of libraries are guarded up to kMostLive.
//
// Where it finds an error itself, it calls a function named like the error: see the backtrace.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A process may have 65530 mappings (vm.max_map_count); a block in use takes two.
enum { kSlots = 24576, kMostLive = 16384, kRecord = 512, kFiller = 0xdb };

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t page;
static char* region;                 // kSlots pages for blocks, each with a page without access
static uint16_t free_slots[kSlots];  // a ring: the slot that is free longest comes first
static unsigned first_free, live;
static struct {
  uint32_t size, offset;  // of the block in its page; size 0: free
} blocks[kSlots];
static long guarded, unguarded;

#define NAMED __attribute__((visibility("default"), noinline, noreturn)) void
NAMED guard_found_invalid_free(void) { abort(); }
NAMED guard_found_double_free(void) { abort(); }
NAMED guard_found_write_behind_block(void) { abort(); }
NAMED guard_cannot_map(void) { abort(); }

// How many blocks were guarded so far, and how many were not.
__attribute__((visibility("default"))) void guard_counts(long counts[2]) {
  counts[0] = __atomic_load_n(&guarded, __ATOMIC_RELAXED);
  counts[1] = __atomic_load_n(&unguarded, __ATOMIC_RELAXED);
}

static void take_lock(void) { pthread_mutex_lock(&lock); }
static void leave_lock(void) { pthread_mutex_unlock(&lock); }
// Registered early, so that the handlers of the program, which may allocate, find the lock free.
__attribute__((constructor(101))) static void survive_forks(void) {
  pthread_atfork(take_lock, leave_lock, leave_lock);
}

static int prepare(void) {
  if (region != NULL) return 1;
  page = (size_t)sysconf(_SC_PAGESIZE);
  char* memory =
      mmap(NULL, 2 * page * kSlots, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  for (unsigned i = 0; i < kSlots; ++i) free_slots[i] = (uint16_t)i;
  region = memory;
  return 1;
}

static char* page_of(unsigned slot) { return region + 2 * page * slot; }
static char* start_of(unsigned slot) { return page_of(slot) + blocks[slot].offset; }

static int is_wanted(size_t align, size_t size) {
  static unsigned small;
  if (size > page || align > page || live >= kMostLive) return 0;
  return size >= kRecord || ++small % (1 + live / 256) == 0;
}

// NULL: this block is not to be guarded.
static char* guard(size_t align, size_t size) {
  if (size == 0) size = 1;
  if (align < 16) align = 16;
  take_lock();
  if (!prepare() || !is_wanted(align, size)) {
    leave_lock();
    __atomic_fetch_add(&unguarded, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  const unsigned slot = free_slots[first_free];
  first_free = (first_free + 1) % kSlots;
  ++live;
  blocks[slot].size = (uint32_t)size;
  blocks[slot].offset = (uint32_t)((page - size) & ~(align - 1));
  leave_lock();
  __atomic_fetch_add(&guarded, 1, __ATOMIC_RELAXED);
  if (mprotect(page_of(slot), page, PROT_READ | PROT_WRITE) != 0) guard_cannot_map();
  char* block = start_of(slot);
  memset(block + size, kFiller, page - blocks[slot].offset - size);
  return block;
}

static int is_guarded(const void* block) {
  const char* at = block;
  return region != NULL && at >= region && at < region + 2 * page * kSlots;
}

static unsigned slot_of(const void* block) {
  const unsigned slot = (unsigned)((size_t)((const char*)block - region) / (2 * page));
  if (blocks[slot].size == 0) guard_found_double_free();
  if (block != start_of(slot)) guard_found_invalid_free();
  return slot;
}

static void give_back(void* block) {
  const unsigned slot = slot_of(block);
  for (const char* at = (char*)block + blocks[slot].size; at < page_of(slot) + page; ++at) {
    if (*at != (char)kFiller) guard_found_write_behind_block();
  }
  // In place of the old mapping: its memory goes, too.
  if (mmap(page_of(slot), page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
           -1, 0) == MAP_FAILED) {
    guard_cannot_map();
  }
  take_lock();
  blocks[slot].size = 0;
  --live;
  free_slots[(first_free + kSlots - live - 1) % kSlots] = (uint16_t)slot;
  leave_lock();
}

#define REPLACES __attribute__((visibility("default")))

REPLACES void* malloc(size_t size) {
  char* block = guard(1, size);
  // Not zero, so that a read of what nobody wrote shows.
  return block != NULL ? memset(block, kFiller, size) : __libc_malloc(size);
}

REPLACES void* calloc(size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  char* block = guard(1, all);
  return block != NULL ? block : __libc_calloc(count, size);
}

REPLACES void free(void* block) {
  const int before = errno;
  if (is_guarded(block)) {
    give_back(block);
  } else {
    __libc_free(block);
  }
  errno = before;
}

REPLACES void* realloc(void* block, size_t size) {
  if (block == NULL) return malloc(size);
  if (!is_guarded(block)) return __libc_realloc(block, size);
  if (size == 0) {
    free(block);
    return NULL;
  }
  const size_t old = blocks[slot_of(block)].size;
  void* moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, block, old < size ? old : size);
  free(block);
  return moved;
}

REPLACES void* memalign(size_t align, size_t size) {
  char* block = guard(align, size);
  return block != NULL ? block : __libc_memalign(align, size);
}
REPLACES void* aligned_alloc(size_t align, size_t size) { return memalign(align, size); }
REPLACES void* valloc(size_t size) { return memalign((size_t)sysconf(_SC_PAGESIZE), size); }
REPLACES void* pvalloc(size_t size) {
  const size_t whole = (size_t)sysconf(_SC_PAGESIZE);
  return memalign(whole, (size + whole - 1) & ~(whole - 1));
}
REPLACES int posix_memalign(void** out, size_t align, size_t size) {
  if (align < sizeof(void*) || (align & (align - 1)) != 0) return EINVAL;
  void* block = memalign(align, size);
  if (block == NULL) return ENOMEM;
  *out = block;
  return 0;
}

REPLACES size_t malloc_usable_size(void* block) {
  if (is_guarded(block)) return blocks[slot_of(block)].size;
  size_t (*next)(void*) = (size_t(*)(void*))dlsym(RTLD_NEXT, "malloc_usable_size");
  return next(block);
}
