// SPDX-License-Identifier: Apache-2.0

// The graph library on a GPU. `graph_gpu [TOPIC]`; `--list` lists the topics. `walk` has options of
// its own: tests/graph/walk/README.md.
#include <cstdio>
#include <cstring>

#include "graph/exit_cases.h"
#include "graph/fixture.h"
#include "graph/topics.h"

namespace {

// Every topic of the graph library begins on the GPU.
template <void (*topic)()>
void on_device() {
  gputest::use_device();
  topic();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gputest;  // NOLINT
  if (argc > 1 && exit_case(argv[1])) return 0;
  constexpr Topic kTopics[] = {{"owners", on_device<owners>},
                               {"slots", on_device<slots>},
                               {"operands", on_device<operands>},
                               {"arguments", on_device<arguments>},
                               {"attributes", on_device<attributes>},
                               {"programmatic", on_device<programmatic>},
                               {"structure", on_device<structure>},
                               {"reading", on_device<reading>},
                               {"results", on_device<results>},
                               {"bodies", on_device<bodies>},
                               {"raw", on_device<raw>},
                               {"changes", on_device<changes>},
                               {"updates", on_device<updates>},
                               {"replacing", on_device<replacing>},
                               {"parameters", on_device<parameters>},
                               {"devices", on_device<devices>},
                               {"running", on_device<running>},
                               {"faults", on_device<faults>},
                               {"capturing", on_device<capturing>},
                               {"capture_ends", on_device<capture_ends>},
                               {"views", on_device<views>},
                               {"threads", on_device<threads>},
                               {"walk", on_device<random_walk>},
                               {"exits", on_device<exits>}};
  if (argc > 2 && std::strcmp(argv[1], "walk") == 0 &&
      !walk::parse(argc - 1, argv + 1, &walk_options())) {
    return 2;
  }
  const int status = run_topics(argc, argv, kTopics, sizeof kTopics / sizeof *kTopics);
  bool freed = true;
  end_device([&freed] { freed = all_is_freed(); });
  if (!freed) std::printf("FAILED: memory of a buffer was never freed\n");
  return freed ? status : 1;
}
