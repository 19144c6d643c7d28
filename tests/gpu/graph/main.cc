// The graph library on a GPU. `graph_gpu [TOPIC]`; `--list` lists the topics.
#include <cstdio>

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
                               {"exits", on_device<exits>}};
  const int status = run_topics(argc, argv, kTopics, sizeof kTopics / sizeof *kTopics);
  bool freed = true;
  end_device([&freed] { freed = all_is_freed(); });
  if (!freed) std::printf("FAILED: memory of a buffer was never freed\n");
  return freed ? status : 1;
}
