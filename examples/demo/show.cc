// SPDX-License-Identifier: Apache-2.0
#include "show.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "support/this_computer.h"
#include "texts.h"
#include "trial.h"

namespace anycuda::demo {
namespace {

namespace fs = std::filesystem;

constexpr int kMachineWidth = 10;
constexpr int kCellWidth = 30;

std::string driver_artifact() { return "driver-" + std::to_string(kDriverBranch); }

// Does this computer's own driver make the machines' driver library answer 803?
bool driver_mismatch() {
  const std::string running = test::running_driver();
  const test::Artifacts& artifacts = test::Artifacts::of_this_build();
  if (running.empty() || !artifacts.has(driver_artifact())) return false;
  return !fs::exists(artifacts.folder(driver_artifact()) / ("libcuda.so." + running));
}

std::string component_of(Program program) {
  switch (program) {
    case Program::nvrtc_compile:
      return "nvrtc";
    case Program::jitlink:
      return "nvjitlink";
    default:
      return "cudart";
  }
}

}  // namespace

Demo::Demo(std::string programs, bool native)
    : programs_(std::move(programs)), native_(native), mismatch_(driver_mismatch()) {}

bool Demo::run() {
  std::printf("%s", native_ ? kNativeIntroduction : kIntroduction);
  show_section(Program::versions, false, "Which CUDA runtime does a program get? (no driver)");
  show_section(Program::nvrtc_compile, false, "NVRTC makes PTX and a CUBIN for sm_90 of a kernel");
  show_section(Program::jitlink, false,
               "nvJitLink makes a CUBIN for sm_90 of two artifacts of PTX");
  show_section(Program::runtime, false, "What does the runtime say about GPUs? (no driver)");
  show_section(Program::versions, true,
               "Which CUDA runtime does it get beside driver 535, made for CUDA 12.2?");
  show_section(Program::runtime, true, "What does the runtime say about GPUs? (driver 535)");
  show_account();
  return failures_.empty() && checked_ > 0;
}

void Demo::show_section(Program program, bool driver, const char* title) {
  std::printf("\n%s: %s\n\n", program_name(program), title);
  const std::string missing =
      driver ? test::Artifacts::of_this_build().why_missing(driver_artifact()) : "";
  if (!missing.empty()) {
    std::printf("  skipped: %s\n", missing.c_str());
    skipped_.push_back(std::string(program_name(program)) + " with a driver: " + missing);
    return;
  }
  std::printf("  %-*s", kMachineWidth, "installed");
  for (const Release& release : releases()) {
    std::printf("| %-*s", kCellWidth, ("built for CUDA " + std::to_string(release.major)).c_str());
  }
  std::printf("\n");
  for (const Setup& setup : setups(driver, mismatch_)) show_row(program, setup);
}

void Demo::show_row(Program program, const Setup& setup) {
  std::printf("  %-*s", kMachineWidth, setup.name.c_str());
  const std::unique_ptr<test::Machine> machine = machine_for(program, setup);
  if (machine == nullptr) return;
  for (const Release& release : releases()) {
    std::printf("| %-*s", kCellWidth, cell(program, release, setup, *machine).c_str());
    std::fflush(stdout);  // a cell takes up to some seconds: show each when it is there
  }
  std::printf("\n");
}

std::unique_ptr<test::Machine> Demo::machine_for(Program program, const Setup& setup) {
  auto machine = std::make_unique<test::Machine>();
  try {
    install(setup, *machine);
  } catch (const test::MissingArtifact& missing) {
    std::printf("| skipped: %s\n", missing.what());
    skipped_.push_back(std::string(program_name(program)) + ", " + setup.name + ": " +
                       missing.what());
    return nullptr;
  }
  if (native_) {
    for (const char* folder : {"cuda_runtime", "cuda_nvrtc", "nvjitlink", "cu13"}) {
      machine->library_path(machine->site_packages() / "nvidia" / folder / "lib");
    }
  }
  return machine;
}

std::string Demo::cell(Program program, const Release& release, const Setup& setup,
                       const test::Machine& machine) {
  const auto wanted = expected(program, release.major, setup);
  if (!wanted) return "(CUDA " + std::to_string(release.major) + " has none)";
  // Without stubs a program runs only where its own CUDA is, and nobody decides whether it fits.
  if (native_ && (setup.installed != std::vector<int>{release.major} ||
                  !serving(program, release.major, setup))) {
    return "";
  }
  const std::string name = std::string(program_name(program)) + "-" + std::to_string(release.major);
  const fs::path file = fs::path(programs_) / name;
  if (!fs::exists(file)) {
    const std::string why =
        test::Artifacts::of_this_build().why_missing(component_of(program) + "-" + release.version);
    if (!why.empty()) {
      const std::string text = name + " was not built: " + why;
      const bool known = std::find(skipped_.begin(), skipped_.end(), text) != skipped_.end();
      if (!known) skipped_.push_back(text);
      return "skipped";
    }  // else running it says what is wrong
  }
  const Trial trial = run_on(machine, file);
  checked_ += static_cast<int>(wanted->size());
  const std::vector<std::string> wrong = differences(*wanted, trial.got);
  for (const std::string& difference : wrong) {
    failures_.push_back(name + ", installed: " + setup.name +
                        (setup.driver ? ", driver 535; " : ", no driver; ") + difference +
                        (&difference == &wrong.back() ? "\n  stderr: " + trial.err : ""));
  }
  if (program == Program::versions && setup.installed.empty() && !setup.driver) {
    report_ = trial.err;
  }
  return (wrong.empty() ? "" : "WRONG: ") + in_words(program, setup, trial.got);
}

void Demo::show_account() const {
  std::printf("\n%s", kLegend);
  if (mismatch_) std::printf(kMismatchLegend, test::running_driver().c_str());
  if (!report_.empty()) std::printf("\n%s\n%s", kReportTitle, report_.c_str());
  std::printf("\n%d fields checked, %zu not as expected.\n", checked_, failures_.size());
  for (const std::string& text : skipped_) std::printf("skipped: %s\n", text.c_str());
  for (const std::string& text : failures_) std::printf("FAILED: %s\n", text.c_str());
}

}  // namespace anycuda::demo
