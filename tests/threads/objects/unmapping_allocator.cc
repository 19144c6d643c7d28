// SPDX-License-Identifier: Apache-2.0

// malloc() as a guarding allocator has it: each block has its own pages, and free() unmaps them. A
// read of a freed block ends the process.
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

struct Block {
  void* pages;
  std::size_t mapped;
  std::size_t size;
};

Block& block_of(void* memory) { return static_cast<Block*>(memory)[-1]; }

void* allocate(std::size_t size, std::size_t alignment) {
  constexpr std::size_t kSmallest = 16;
  if (alignment < kSmallest) alignment = kSmallest;
  const std::size_t mapped = size + sizeof(Block) + alignment;
  if (mapped < size) return nullptr;
  void* pages = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(pages) + sizeof(Block);
  const std::uintptr_t address = (first + alignment - 1) & ~(alignment - 1);
  void* memory = reinterpret_cast<void*>(address);
  block_of(memory) = {pages, mapped, size};
  return memory;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return allocate(size, 0); }

void free(void* memory) {
  if (memory == nullptr) return;
  const int kept_errno = errno;
  const Block block = block_of(memory);
  munmap(block.pages, block.mapped);
  errno = kept_errno;
}

void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, size, &bytes) ? nullptr : allocate(bytes, 0);
}

void* realloc(void* memory, std::size_t size) {
  void* moved = allocate(size, 0);
  if (moved == nullptr || memory == nullptr) return moved;
  const std::size_t before = block_of(memory).size;
  std::memcpy(moved, memory, before < size ? before : size);
  free(memory);
  return moved;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return allocate(size, alignment); }
void* memalign(std::size_t alignment, std::size_t size) { return allocate(size, alignment); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = allocate(size, alignment);
  return *memory != nullptr ? 0 : ENOMEM;
}
std::size_t malloc_usable_size(void* memory) {
  return memory != nullptr ? block_of(memory).size : 0;
}
}
