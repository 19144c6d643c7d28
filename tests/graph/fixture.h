// SPDX-License-Identifier: Apache-2.0

// A process with the fake driver, which the stub finds as it would find NVIDIA's.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "anycuda/graph/capture.h"
#include "anycuda/graph/drain.h"
#include "anycuda/graph/exec.h"
#include "anycuda/graph/graph.h"
#include "api/cuda_api.h"
#include "tests/graph/fake_driver/control.h"

namespace anycuda::graph {

const fake::Control& driver();

inline constexpr CUresult kOk = CUDA_SUCCESS;
inline CUresult status(unsigned value) { return static_cast<CUresult>(value); }

// Whether the fake driver gives numbers to graphs and nodes, as those of CUDA 13.1 do (it is one of
// 13.0 unless FAKE_DRIVER_VERSION says so).
bool driver_has_ids();

// Releases all retired owners, including those that the driver's thread has yet to report.
void settle();

// An owner, and whether it is still there.
class Watched {
 public:
  Watched() : owner_(std::make_shared<int>(1)), watch_(owner_) {}
  OpaqueHandle take() { return std::move(owner_); }  // the only reference moves out
  bool alive() const {
    settle();
    return !watch_.expired();
  }

 private:
  std::shared_ptr<int> owner_;
  std::weak_ptr<int> watch_;
};

// Begins and ends without a live object, and checks that the test used no dead handle.
class OnFakeDriver : public testing::Test {
 protected:
  OnFakeDriver() { driver(); }  // before a test's members make graphs
  void SetUp() override;
  void TearDown() override;
  static void nothing_lives();

  static Graph graph() {
    Graph made;
    EXPECT_EQ(Graph::create(&made), kOk) << last_error();
    return made;
  }
  // An empty node that keeps `owner`.
  static CUgraphNode node(const GraphView& graph, OpaqueHandle owner,
                          OwnerRole role = OwnerRole::extra);
  // The node of a copy, and the graph in a child node, as the driver names them.
  static CUgraphNode twin(CUgraphNode original, const GraphView& copy) {
    CUgraphNode found = nullptr;
    EXPECT_EQ(api::cuGraphNodeFindInClone(&found, original, copy.get()), 0U);
    return found;
  }
};

void do_nothing(void*);

}  // namespace anycuda::graph
