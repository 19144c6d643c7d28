// SPDX-License-Identifier: Apache-2.0

// linker_walk product|devices FOLDER...
// linker_walk link [lto|ptx|lto_ir|sm_90|driver]... FILE...
// linker_walk walk [--seconds N] [--steps N] [--seed S] [--story FILE] FOLDER...
// FOLDER: what forms_in (forms.h) reads. With the driver and the nvJitLink of the environment.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "jobs.h"
#include "walk.h"

namespace {

int walk_over(walk::Plan plan) {
  std::string folder = std::filesystem::temp_directory_path() / "walk-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 2;
  plan.folder = folder;
  std::printf("seed %llu\n", static_cast<unsigned long long>(plan.seed));
  const walk::Tally tally = walk::walk(plan);
  std::filesystem::remove_all(folder);
  std::printf("%s\n", told(plan, tally).c_str());
  if (tally.wrong.empty()) return 0;
  std::printf("WRONG: %s\n", tally.wrong.c_str());
  return 1;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments[0] == "link") return walk::link({arguments.begin() + 1, arguments.end()});
  walk::Plan plan;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].rfind("--", 0) != 0) {
      for (walk::Form& form : walk::forms_in(arguments[i])) plan.forms.push_back(std::move(form));
      continue;
    }
    if (i + 1 == arguments.size()) return 2;
    const char* value = arguments[i + 1].c_str();
    if (arguments[i] == "--seconds") plan.seconds = std::strtod(value, nullptr);
    if (arguments[i] == "--steps") plan.steps = std::strtol(value, nullptr, 10);
    if (arguments[i] == "--story") plan.story = value;
    if (arguments[i] == "--seed") plan.seed = std::strtoull(value, nullptr, 10);
    ++i;
  }
  if (arguments[0] == "product") return walk::product(plan.forms);
  if (arguments[0] == "devices") return walk::devices(plan.forms);
  if (plan.forms.empty() || (plan.steps == 0 && plan.seconds == 0)) return 2;
  plan.archs = {"sm_80", "sm_80", "sm_80", "sm_86", "sm_90", "sm_75"};
  return walk_over(std::move(plan));
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return count > 2 ? run({arguments + 1, arguments + count}) : 2;
  } catch (const std::exception& error) {
    std::printf("uncaught: %s\n", error.what());
    return 1;
  }
}
