// SPDX-License-Identifier: Apache-2.0

// One Linker's life, and two of them at once.
#include <sys/resource.h>

#include <thread>

#include "child.h"

namespace child {
namespace {

int links_of(const std::string& folder, InputType type, int count) {
  int good = 0;
  for (int i = 0; i < count; ++i) {
    Linker linker(modules(folder, type), options_for(type));
    good += !linker.link().empty();
  }
  return good;
}

}  // namespace

int life(const Arguments& arguments) {
  const std::string& folder = arguments.at(0);
  Options verbose = options_for(InputType::ptx);
  verbose.verbose = true;
  Linker first(modules(folder, InputType::ptx), verbose);
  say("before: closed %d, logs %zu", first.closed(), first.info_log().size());
  const std::string cubin = first.link();
  const std::string log = first.info_log();
  say("linked: log names the kernel %d", log.find("kernel") != std::string::npos);
  say("again the same: %d", first.link() == cubin);
  Linker second = std::move(first);
  say("moved from: closed %d, %s, %s", first.closed(),
      error_of([&] { (void)first.link(); }).c_str(),
      error_of([&] { first.selection_reason(); }).c_str());
  first.close();
  say("moved to: %d", second.link() == cubin);
  const std::string last = second.info_log();  // it has times: no two logs are the same
  second.close();
  second.close();
  say("closed: %d, link %s, log kept %d, why kept %d", second.closed(),
      error_of([&] { (void)second.link(); }).c_str(), second.info_log() == last && !last.empty(),
      !second.selection_reason().empty());
  second = Linker(modules(folder, InputType::lto_ir), options_for(InputType::lto_ir));
  say("assigned: %d", !second.link().empty());
  int by_thread[2] = {};
  std::thread one([&] { by_thread[0] = links_of(folder, InputType::ptx, 20); });
  std::thread two([&] { by_thread[1] = links_of(folder, InputType::lto_ir, 20); });
  one.join();
  two.join();
  say("two threads: %d and %d of 20", by_thread[0], by_thread[1]);
  return 0;
}

}  // namespace child
