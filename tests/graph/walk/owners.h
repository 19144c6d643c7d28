// SPDX-License-Identifier: Apache-2.0

// Owners whose life is counted, for the walk.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "anycuda/graph/owner.h"

namespace walk {

using anycuda::graph::OpaqueHandle;

// What became of one owner. `mark` is the model's, on the thread of its walk.
struct Life {
  Life(std::size_t n, const char* made_by) : number(n), operation(made_by) {}
  const std::size_t number;
  const char* const operation;  // that made it
  std::atomic<int> freed{0};
  const char* mark = nullptr;
};
using Token = std::shared_ptr<Life>;
using Tokens = std::vector<Token>;

struct Traits {
  bool drains = false;  // the deleter calls drain()
  OpaqueHandle kept;    // released with the owner: device memory
};

// An owner whose deleter counts in the Life of `token`.
OpaqueHandle owner_of(const Token& token, Traits traits = {});
// What a callback does with the owner that it is given: sees that it is still there.
void use(const void* owner) noexcept;

// What went wrong in a deleter or a callback, on any thread; nullptr where nothing did.
const char* fault() noexcept;

}  // namespace walk
