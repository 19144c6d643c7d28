// SPDX-License-Identifier: Apache-2.0

// The Linker on a GPU. `linker_gpu [TOPIC]`; `--list` lists the topics.
#include "common/device.h"
#include "linker/topics.h"

int main(int argc, char** argv) {
  using namespace gputest;  // NOLINT
  constexpr Topic kTopics[] = {{"cycles", cycles},
                               {"inputs", inputs},
                               {"rules", rules},
                               {"failing", failing},
                               {"workers", workers},
                               {"libraries", libraries},
                               {"library_at_exit", library_at_exit},
                               {"cached", cached},
                               {"walk", walk_links},
                               {"growth_nvjitlink", growth_nvjitlink},
                               {"growth_driver", growth_driver}};
  const int status = run_topics(argc, argv, kTopics, sizeof kTopics / sizeof *kTopics);
  end_device();
  return status;
}
