// SPDX-License-Identifier: Apache-2.0

// Several threads, each with its own linkers, of both backends.
#include <thread>

#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {

void workers() {
  Check check("threads, each with its own linkers");
  use_device();
  constexpr int kThreads = 8;
  const int rounds = quick() ? 2 : 12;
  code(InputType::ptx);  // compiled once, before
  code(InputType::cubin);
  if (has_nvjitlink()) code(InputType::lto_ir);
  ways();
  std::atomic<int> links{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      use_device();
      for (int round = 0; check && round < rounds; ++round) {
        const Way& way = ways()[(thread + round) % ways().size()];
        const bool lto = has_nvjitlink() && way.backend != Backend::driver && round % 3 == 0;
        Options options = options_for(way);
        options.lto = lto;
        try {
          Linker linker(
              both(lto ? InputType::lto_ir : (round % 2 == 0 ? InputType::cubin : InputType::ptx)),
              options);
          runs(check, linker.link());
          ++links;
          Linker wrong({Input::bytes(InputType::cubin, code(InputType::cubin).kernel, "alone")},
                       options_for(way));
          try {
            (void)wrong.link();
            check.fail("a symbol is missing, and it was linked");
          } catch (const LinkError& error) {
            if (error.error_log().find("twice") == std::string::npos) check.fail(error.what());
          }
        } catch (const Error& error) {
          check.fail(error.what());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  check.detail(show(kThreads) + " threads, " + show(links.load()) + " links, and as many failures");
}

}  // namespace gputest
