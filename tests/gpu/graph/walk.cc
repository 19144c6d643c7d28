// SPDX-License-Identifier: Apache-2.0

// The random walk of tests/graph/walk on a real driver: `graph_gpu walk --seconds 600 --threads 4`.
#include "graph/fixture.h"
#include "graph/topics.h"

namespace gputest {

walk::Options& walk_options() {
  static walk::Options options = [] {
    walk::Options usual;
    usual.steps = quick() ? 500 : 3000;
    usual.threads = 4;
    return usual;
  }();
  return options;
}

void random_walk() {
  Check check("a random walk over the public API frees each owner once, and none too early");
  walk::Options& options = walk_options();
  walk::Machine machine;
  machine.image = kernels().data();
  machine.begin_thread = [] { use_device(); };
  EXPECT(check, walk::run(machine, options));
  check.detail("seed " + show(options.seed) + ", " + show(options.threads) + " threads");
}

}  // namespace gputest
