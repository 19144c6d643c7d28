// SPDX-License-Identifier: Apache-2.0

// Executable graphs: options and failures of the instantiation, and executable graphs that were
// made elsewhere.
#include "tests/graph/fixture.h"

namespace anycuda::graph {
namespace {

using testing::HasSubstr;

class Instantiating : public OnFakeDriver {
 protected:
  Graph graph_ = Graph::create();
  CUstream stream_ = static_cast<CUstream>(driver().new_stream());

  void TearDown() override {
    graph_ = Graph();
    OnFakeDriver::TearDown();
  }
  static HostNode host(OpaqueHandle owner) {
    HostNode made;
    made.function = do_nothing;
    made.data_owner = std::move(owner);
    return made;
  }
  static CUgraphExec raw(const GraphView& graph) {
    CUgraphExec made = nullptr;
    EXPECT_EQ(api::cuGraphInstantiateWithFlags(&made, graph.get(), 0), 0U);
    return made;
  }
  static int version() {
    int version = 0;
    EXPECT_EQ(api::cuDriverGetVersion(&version), 0U);
    return version;
  }
};

TEST_F(Instantiating, UploadsOnAStream) {
  graph_.join();
  Exec exec;
  if (version() < 12000) {
    EXPECT_EQ(Exec::instantiate(graph_, &exec, {0, stream_}), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_THAT(last_error(),
                HasSubstr("cuGraphInstantiateWithParams needs a driver of CUDA 12.0"));
    EXPECT_EQ(Exec::instantiate(graph_, &exec), kOk) << last_error();
    return;
  }
  ASSERT_EQ(Exec::instantiate(graph_, &exec), kOk);
  EXPECT_EQ(driver().upload_stream(), nullptr);
  const InstantiateOptions options{8, stream_};
  ASSERT_EQ(Exec::instantiate(graph_, &exec, options), kOk) << last_error();
  EXPECT_EQ(driver().upload_stream(), stream_);
  EXPECT_TRUE(Exec::instantiate(graph_, options));
}

TEST_F(Instantiating, FailureHasTheNodeAndTheReason) {
  const CUgraphNode first = graph_.join();
  const CUgraphNode second = graph_.join({first});
  graph_.add_edges({{second, first}});
  Exec exec;
  CUgraphNode node = nullptr;
  int result = 0;
  EXPECT_EQ(Exec::instantiate(graph_, &exec, InstantiateOptions(), &node, &result),
            CUDA_ERROR_INVALID_VALUE);
  if (version() >= 12000) {
    EXPECT_EQ(node, first);
    EXPECT_EQ(static_cast<InstantiateResult>(result), InstantiateResult::invalid_structure);
    EXPECT_THAT(last_error(), HasSubstr("invalid_structure"));
  }
  EXPECT_FALSE(exec);
  EXPECT_STREQ(name_of(static_cast<InstantiateResult>(6)), "unknown");
  graph_.remove_edges({{second, first}});
  EXPECT_EQ(Exec::instantiate(graph_, &exec, InstantiateOptions(), &node, &result), kOk);
  EXPECT_EQ(node, nullptr);
  EXPECT_EQ(result, 0);
  EXPECT_THROW(static_cast<void>(Exec::instantiate(GraphView(), InstantiateOptions())), Error);
}

TEST_F(Instantiating, AdoptedExecIsDestroyedWithItsOwners) {
  Watched owner;
  ASSERT_EQ(add_host(graph_, {}, host(owner.take()), nullptr), kOk);
  Exec exec;
  ASSERT_EQ(Exec::adopt(raw(graph_), &exec), kOk) << last_error();
  ASSERT_EQ(graph_.destroy(), kOk);
  EXPECT_TRUE(owner.alive());
  EXPECT_EQ(exec.launch(stream_), kOk);
  ASSERT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
  EXPECT_EQ(Exec::adopt(nullptr, &exec), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Exec::adopt(reinterpret_cast<CUgraphExec>(1), nullptr), CUDA_ERROR_INVALID_VALUE);
}

// As for an Exec that was instantiated here: not while a launch with host nodes runs.
TEST_F(Instantiating, AdoptedExecOutlivesItsLaunch) {
  ASSERT_EQ(add_host(graph_, {}, host(nullptr), nullptr), kOk);
  Exec exec;
  ASSERT_EQ(Exec::adopt(raw(graph_), &exec), kOk);
  driver().hold_launches(true);
  ASSERT_EQ(exec.launch(stream_), kOk);
  ASSERT_EQ(exec.destroy(), kOk);
  EXPECT_EQ(driver().live().execs, 1U);
  driver().finish_launches();
  settle();
  EXPECT_EQ(driver().live().execs, 0U);
}

TEST_F(Instantiating, AdoptedExecTakesOwnersFromUpdateOn) {
  CUgraphNode node = nullptr;
  ASSERT_EQ(add_host(graph_, {}, host(nullptr), &node), kOk);
  Exec exec;
  ASSERT_EQ(Exec::adopt(raw(graph_), &exec), kOk);
  Watched refused;
  EXPECT_EQ(exec.set_host(node, host(refused.take())), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(last_error(), HasSubstr("the executable graph was adopted"));
  EXPECT_FALSE(refused.alive());
  EXPECT_EQ(exec.set_host(node, host(nullptr)), kOk) << last_error();
  ASSERT_EQ(exec.update(graph_), kOk) << last_error();
  Watched owner;
  EXPECT_EQ(exec.set_host(node, host(owner.take())), kOk) << last_error();
  EXPECT_TRUE(owner.alive());
  ASSERT_EQ(exec.destroy(), kOk);
  EXPECT_FALSE(owner.alive());
}

TEST_F(Instantiating, ReleasedExecKeepsItsOwners) {
  Watched owner;
  Watched updated;
  CUgraphNode node = nullptr;
  ASSERT_EQ(add_host(graph_, {}, host(owner.take()), &node), kOk);
  Exec exec = Exec::instantiate(graph_);
  ASSERT_EQ(exec.set_host(node, host(updated.take())), kOk);
  ASSERT_EQ(graph_.destroy(), kOk);
  const CUgraphExec handle = exec.release();
  EXPECT_FALSE(exec);
  EXPECT_TRUE(owner.alive());
  EXPECT_TRUE(updated.alive());
  EXPECT_EQ(api::cuGraphExecDestroy(handle), 0U);
  EXPECT_FALSE(owner.alive());
  EXPECT_FALSE(updated.alive());
  EXPECT_EQ(Exec().release(), nullptr);
}

}  // namespace
}  // namespace anycuda::graph
