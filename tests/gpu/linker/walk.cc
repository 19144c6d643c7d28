// SPDX-License-Identifier: Apache-2.0

// Random links (tests/linker/walk) with the driver and the nvJitLink that are here; each CUBIN is
// loaded. GPU_TEST_WALK: how many seconds; GPU_TEST_SEED: to repeat a walk.
#include "../../linker/walk/walk.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {

namespace {

// Adds a kernel with this name, in every form that NVRTC produces.
void add_forms(const std::string& name, std::vector<walk::Form>* forms) {
  const std::string source = "extern \"C\" __global__ void " + name + "(int* out) { *out += 1; }";
  const auto compiled = [&](bool relocatable, Output output) {
    ProgramOptions options;
    options.arch = device_arch();
    options.relocatable = relocatable;
    return Program(source, name, options).compile(output);
  };
  forms->push_back({name + ".ptx", InputType::ptx, compiled(true, Output::ptx), {name}});
  forms->push_back({name + ".cubin", InputType::cubin, compiled(true, Output::cubin), {name}});
  forms->push_back({name + ".whole", InputType::cubin, compiled(false, Output::cubin), {name}});
  forms->push_back({name + ".ltoir", InputType::lto_ir, compiled(true, Output::lto_ir), {name}});
}

// What nvcc made of a function: it stays where a kernel needs it, and none here does.
void add_made_by_nvcc(InputType type, const char* file, std::vector<walk::Form>* forms) {
  const std::string path = nvcc_made(file);
  if (path.empty()) return;
  forms->push_back({file, type, walk::read_file(path), {}, {"twice"}});
}

std::string load(const std::string& cubin) {
  CUmodule module = nullptr;
  const CUresult result = cuModuleLoadData(&module, cubin.data());
  if (result != CUDA_SUCCESS) return "cuModuleLoadData: " + show(result);
  cuModuleUnload(module);
  return "";
}

double seconds() {
  const char* wanted = std::getenv("GPU_TEST_WALK");
  if (wanted != nullptr) return std::strtod(wanted, nullptr);
  return quick() ? 5 : 20;
}

}  // namespace

void walk_links() {
  Check check("random links lose nothing");
  use_device();
  walk::Plan plan;
  for (const char* name : {"first", "second"}) add_forms(name, &plan.forms);
  add_made_by_nvcc(InputType::fatbin, "helper.fatbin", &plan.forms);
  plan.archs = {device_arch(), ""};
  plan.driver_gives = true;
  plan.load = load;
  plan.seconds = seconds();
  const char* seed = std::getenv("GPU_TEST_SEED");
  plan.seed = seed != nullptr ? std::strtoull(seed, nullptr, 10) : std::random_device()();
  std::string folder = std::filesystem::temp_directory_path() / "gputest-walk-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return check.fail("no folder for files");
  plan.folder = folder;
  const walk::Tally tally = walk::walk(plan);
  std::filesystem::remove_all(folder);
  check.detail(told(plan, tally));
  if (!tally.wrong.empty()) check.fail(tally.wrong);
  EXPECT(check, tally.good > 0);
}

}  // namespace gputest
