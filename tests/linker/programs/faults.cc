// SPDX-License-Identifier: Apache-2.0

// Faults in a working backend: each is an error with a readable log, and the next link works.
#include <unistd.h>

#include "child.h"

namespace child {
namespace {

std::string damaged(std::string bytes) {
  for (std::size_t i = bytes.size() / 3; i < bytes.size(); i += 7) bytes[i] = 'x';
  return bytes;
}

void fault(const char* name, std::vector<Input> inputs, const Options& options) {
  std::string what;
  std::string logs;
  const std::string error = error_of(
      [&] {
        Linker linker(std::move(inputs), options);
        std::string told;
        const std::string failed = error_of([&] { (void)linker.link(); }, &told);
        linker.close();
        logs = linker.error_log();
        if (failed == "LinkError") throw LinkError(told, 1, logs, linker.info_log());
        if (!failed.empty()) throw std::runtime_error(failed + ": " + told);
      },
      &what);
  say("%s: %s", name, error.empty() ? "ok" : error.c_str());
  if (!error.empty()) say("  %s", what.c_str());
  if (!error.empty() && !logs.empty()) say("  after close: %s", logs.c_str());
}

}  // namespace

int faults(const Arguments& arguments) {
  const std::string& folder = arguments.at(0);
  const std::string& out = arguments.at(1);
  const Options plain = options_for(InputType::ptx);
  const Options lto = options_for(InputType::lto_ir);
  const std::string kernel = read(folder + "/kernel.ptx");
  const std::string ir = read(folder + "/kernel.ltoir");
  const auto one = [](InputType type, std::string bytes) {
    return std::vector<Input>{Input::bytes(type, std::move(bytes), "broken one")};
  };
  fault("unresolved", one(InputType::ptx, kernel), plain);
  fault("damaged PTX", one(InputType::ptx, damaged(kernel)), plain);
  fault("text that is not PTX", one(InputType::ptx, "no PTX at all"), plain);
  fault("PTX that stops", one(InputType::ptx, kernel.substr(0, kernel.size() / 2)), plain);
  fault("LTO-IR that stops", one(InputType::lto_ir, ir.substr(0, ir.size() / 2)), lto);
  fault("junk as LTO-IR", one(InputType::lto_ir, std::string(4096, 'x')), lto);
  fault("an unknown architecture", modules(folder, InputType::ptx), [&] {
    Options options = plain;
    options.arch = "sm_99";
    return options;
  }());
  // A file that is gone when the link is made.
  const std::string path = out + "/gone.ptx";
  write(path, kernel);
  Linker late({Input::file(InputType::ptx, path)}, plain);
  unlink(path.c_str());
  std::string what;
  const std::string error = error_of([&] { (void)late.link(); }, &what);
  say("gone: %s", error.c_str());
  say("  %s", what.c_str());
  fault("good after all", modules(folder, InputType::lto_ir), lto);
  return 0;
}

}  // namespace child
