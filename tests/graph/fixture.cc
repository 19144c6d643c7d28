// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/fixture.h"

#include <dlfcn.h>

#include <cstdlib>

namespace anycuda::graph {

const fake::Control& driver() {
  static const fake::Control* const control = [] {
    setenv("ANYCUDA_CUDA", FAKE_DRIVER, 1);
    void* const library = dlopen(FAKE_DRIVER, RTLD_NOW);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    return reinterpret_cast<const fake::Control* (*)()>(dlsym(library, "fake_control"))();
  }();
  return *control;
}

bool driver_has_ids() {
  int version = 0;
  EXPECT_EQ(api::cuDriverGetVersion(&version), 0U);
  return version >= 13010;
}

void settle() {
  // A drain() that destroys an executable graph releases nothing by itself: so once more.
  for (int idle = 0; idle < 2; ++idle) {
    driver().flush();
    if (drain() != 0) idle = -1;
  }
}

void do_nothing(void*) {}

CUgraphNode OnFakeDriver::node(const GraphView& graph, OpaqueHandle owner, OwnerRole role) {
  CUgraphNode made = nullptr;
  EXPECT_EQ(add_empty(graph, {}, &made), kOk) << last_error();
  EXPECT_EQ(graph_set_owner(graph, made, role, std::move(owner)), kOk) << last_error();
  return made;
}

void OnFakeDriver::SetUp() { driver().reset(); }

void OnFakeDriver::TearDown() {
  driver().hold_destructors(false);
  settle();
  nothing_lives();
  EXPECT_EQ(driver().misuses(), 0U) << "a handle was used that is gone";
  EXPECT_EQ(driver().wrong_contexts(), 0U) << "something was freed in another context";
}

void OnFakeDriver::nothing_lives() {
  settle();
  const fake::Live live = driver().live();
  EXPECT_EQ(live.graphs, 0U);
  EXPECT_EQ(live.nodes, 0U);
  EXPECT_EQ(live.execs, 0U);
  EXPECT_EQ(live.user_objects, 0U);
  EXPECT_EQ(live.memory, 0U);
  EXPECT_EQ(live.modules, 0U);
  EXPECT_EQ(live.events, 0U);
  EXPECT_EQ(pending(), 0U);
}

}  // namespace anycuda::graph
