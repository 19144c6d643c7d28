// SPDX-License-Identifier: Apache-2.0

// The driver's linker, with the faults of a fake driver (fake_driver.c).
#include <cstdlib>

#include "child.h"
#include "memory.h"

namespace child {
namespace {

// A PTX that needs no NVRTC: the fake looks only at its size.
std::vector<Input> inputs() {
  return {Input::bytes(InputType::ptx, ".version 7.0\n.target sm_80\n", "first"),
          Input::bytes(InputType::any, ".version 7.0\n.target sm_80\n"),
          Input::file(InputType::ptx, std::getenv("HOME") + std::string("/third.ptx"))};
}

Options everything() {
  Options options;
  options.arch = "sm_90a";
  options.optimization_level = 2;
  options.max_registers = 64;
  options.debug = options.line_info = options.verbose = true;
  options.cache_mode = CacheMode::l1_and_l2;
  options.log_bytes = 64;
  options.ftz = false;
  options.kernels_used = {"kernel"};
  options.no_cache = true;
  return options;
}

void once(const Options& options) {
  std::string what;
  const std::string error = error_of(
      [&] {
        Linker linker(inputs(), options);
        for (const std::string& warning : linker.warnings()) say("warning: %s", warning.c_str());
        std::string told;
        std::size_t size = 0;
        const std::string failed = error_of([&] { size = linker.link().size(); }, &told);
        say("link: %s", failed.empty() ? std::to_string(size).c_str() : failed.c_str());
        if (!failed.empty()) say("  %s", told.c_str());
        linker.close();
        say("info: %s", linker.info_log().c_str());
        say("error: %s", linker.error_log().c_str());
      },
      &what);
  if (!error.empty()) say("%s: %s", error.c_str(), what.c_str());
}

}  // namespace

// everything | plain | forced OPTION
int driver(const Arguments& arguments) {
  const std::string& how = arguments.at(0);
  write(std::getenv("HOME") + std::string("/third.ptx"), ".version 7.0\n");
  Options options = how == "everything" ? everything() : Options{};
  if (how == "forced") options.backend = Backend::driver;
  once(options);
  return 0;
}

// Every allocation of a Linker's life fails once: nothing but bad_alloc comes of it, and the fake
// driver counts its links.
int no_memory(const Arguments&) {
  write(std::getenv("HOME") + std::string("/third.ptx"), ".version 7.0\n");
  once(everything());  // what is kept for the process is found
  long count = 0;
  for (;; ++count) {
    std::string error;
    std::vector<Input> mine = inputs();
    Options options = everything();
    fail_after(count);
    error = error_of([&] {
      Linker linker(std::move(mine), std::move(options));
      (void)linker.link();
      linker.close();
    });
    const bool came = failed();
    fail_after(-1);
    if (!came) break;
    if (error != "bad_alloc") {
      say("allocation %ld: '%s'", count, error.c_str());
      return 1;
    }
  }
  say("allocations that failed: %ld", count);
  return 0;
}

}  // namespace child
