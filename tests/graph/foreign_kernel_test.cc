// SPDX-License-Identifier: Apache-2.0

// Kernels of other libraries, such as anycuda::Kernel of the Linker's library.
#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

class ForeignKernels : public OnFakeDriver {};

struct Foreign {
  CUfunc_st* function() const { return code.function(); }
  const std::shared_ptr<const void>& owner() const { return code.module(); }
  Kernel code;
};
struct WithoutOwner {
  CUfunction function() const { return nullptr; }
};

static_assert(std::is_convertible_v<Foreign, Kernel>);
static_assert(!std::is_convertible_v<WithoutOwner, Kernel>);
static_assert(!std::is_convertible_v<Event, Kernel>);
static_assert(!std::is_convertible_v<int, Kernel>);

TEST_F(ForeignKernels, AreKeptByTheNode) {
  {
    const Graph one = graph();
    {
      const Foreign foreign{Kernel::load("image", "takes_4")};
      one.add(foreign, {2, 32}, 1.5F);
    }
    settle();
    EXPECT_EQ(driver().live().modules, 1U);
  }
  settle();
  EXPECT_EQ(driver().live().modules, 0U);
}

TEST_F(ForeignKernels, HaveNoSiblings) {
  const Foreign foreign{Kernel::load("image", "takes_4")};
  const Kernel kernel = foreign;
  Kernel other;
  EXPECT_EQ(kernel.sibling("takes_8", &other), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace anycuda::graph
