// SPDX-License-Identifier: Apache-2.0

// A random walk on the fake driver: tests/graph/walk/README.md.
#include "tests/graph/walk/walk.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/graph/fake_driver/control.h"

int main(int argc, char** argv) {
  walk::Options options;
  if (!walk::parse(argc, argv, &options)) return 2;
  setenv("ANYCUDA_CUDA", FAKE_DRIVER, 1);
  void* const library = dlopen(FAKE_DRIVER, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const fake::Control& driver =
      *reinterpret_cast<const fake::Control* (*)()>(dlsym(library, "fake_control"))();
  driver.hold_launches(true);
  walk::Machine machine;
  machine.holds_launches = true;
  machine.misuse = [&driver]() -> std::string {
    return driver.misuses() == 0
               ? ""
               : "the driver was given a handle that is gone, or a launch lost its graph";
  };
  machine.left_over = [&driver] {
    driver.flush();
    const fake::Live live = driver.live();
    std::string left;
    const auto say = [&left](std::size_t count, const char* what) {
      if (count != 0) left += " " + std::to_string(count) + " " + what;
    };
    say(live.graphs, "graphs");
    say(live.nodes, "nodes");
    say(live.execs, "executable graphs");
    say(live.user_objects, "user objects");
    say(live.memory, "allocations");
    say(live.modules, "modules");
    say(live.events, "events");
    return left;
  };
  const bool good = walk::run(machine, options);
  std::fflush(stdout);
  // After a failure nothing that is left may be touched.
  std::_Exit(good ? 0 : 1);
}
