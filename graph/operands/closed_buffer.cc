// SPDX-License-Identifier: Apache-2.0

// The allocation of a closed Buffer: a special owner that keeps nothing alive, and that every
// function refuses.
#include "anycuda/graph/operands.h"
#include "graph/attachment.h"
#include "graph/error.h"

namespace anycuda::graph {
namespace {

const char kClosed = 0;  // its address identifies the special owner

}  // namespace

void Buffer::close() { *this = wrap(0, 0, OpaqueHandle(OpaqueHandle(), &kClosed)); }

bool Buffer::closed() const { return is_closed(allocation_); }

bool is_closed(const OpaqueHandle& owner) noexcept { return owner.get() == &kClosed; }

CUresult check_owners(const Owners& owners) noexcept {
  for (unsigned role = 0; role < kOwnerRoles; ++role) {
    if (!is_closed(owners[role])) continue;
    return fail(CUDA_ERROR_INVALID_VALUE,
                "the owner in role %u is the allocation of a Buffer that was closed. Call "
                "allocation() before close()",
                role);
  }
  return CUDA_SUCCESS;
}

}  // namespace anycuda::graph
