// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/walk/owners.h"

#include <cstdint>
#include <utility>

#include "anycuda/graph/drain.h"

namespace walk {
namespace {

constexpr std::uint32_t kAlive = 0x600d600d;
constexpr std::uint32_t kFreed = 0xdeaddead;
// Deleters that run inside of deleters: a drain() in a deleter must not go deeper with each owner.
constexpr int kDeepest = 8;

struct Block {
  std::atomic<std::uint32_t> state{kAlive};
  Token token;
  Traits traits;
};

std::atomic<const char*> what_went_wrong{nullptr};
thread_local int depth = 0;

void wrong(const char* what) noexcept {
  const char* expected = nullptr;
  what_went_wrong.compare_exchange_strong(expected, what);
}

void free_block(const Block* freed) {
  auto* const block = const_cast<Block*>(freed);
  if (block->state.exchange(kFreed) != kAlive) return wrong("an owner was freed twice");
  if (++depth > kDeepest) wrong("drain() in a deleter recurses once for each pending owner");
  if (block->traits.drains) anycuda::graph::drain();
  block->traits.kept.reset();
  --depth;
  ++block->token->freed;
  delete block;
}

}  // namespace

OpaqueHandle owner_of(const Token& token, Traits traits) {
  auto* const block = new Block;
  block->token = token;
  block->traits = std::move(traits);
  return {block, free_block};
}

void use(const void* owner) noexcept {
  if (static_cast<const Block*>(owner)->state.load() != kAlive) {
    wrong("a callback ran after its owner was freed");
  }
}

const char* fault() noexcept { return what_went_wrong.load(); }

}  // namespace walk
