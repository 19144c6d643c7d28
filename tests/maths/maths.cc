// SPDX-License-Identifier: Apache-2.0
#include "maths.h"

#include <stdexcept>

namespace anycuda::test {
namespace fs = std::filesystem;
namespace {

bool exists(Component component, const std::string& release) {
  return component.name != nvjitlink.name || release.rfind("11", 0) != 0;
}

std::string artifact(Component component, const std::string& release) {
  return std::string(component.name) + "-" + release;
}

}  // namespace

std::string major_of(const std::string& release) { return release.substr(0, release.find('.')); }

const std::vector<Library>& libraries() {
  static const std::vector<Library> all = {
      {"call_cublas", {cublas}, 1, 15, 15},
      {"call_cublas_legacy", {cublas}, 1, 15, 15},
      {"call_cublaslt", {cublas}, 1, 15, 15},
      {"call_cufft", {cufft, nvjitlink}, 5, 14, 16},
      {"call_curand", {curand, cudart}, 203, 999, 999},
      {"call_cusolver", {cusolver, cublas, cusparse, nvjitlink}, 1, 9, 9},
      {"call_cusolvermg", {cusolver, cublas, cusparse, nvjitlink}, 1, 9, 9},
      {"call_cusparse", {cusparse, nvjitlink}, 1, 10, 10},
  };
  return all;
}

const Library& library(const std::string& program) {
  for (const Library& each : libraries()) {
    if (each.program == program) return each;
  }
  throw std::runtime_error("no library has the program " + program);
}

Path native(const std::string& program) { return Path(MATHS_NATIVE) / program; }
Path patched(const std::string& program) { return Path(MATHS_PATCHED) / program; }
Path dropins() { return Path(ANYCUDA_STUBS) / "dropin"; }

void install(Machine* machine, const Library& library, const std::string& release) {
  for (const Component component : library.wheels) {
    if (exists(component, release)) machine->wheel(component, release);
  }
}

Path installed(const Machine& machine, const std::string& release, const std::string& file) {
  const std::string folder = "cu" + major_of(release);  // one for all wheels, from 13 on
  for (const auto& entry : fs::directory_iterator(machine.site_packages() / "nvidia")) {
    const std::string name = entry.path().filename();
    if ((name.rfind("cu1", 0) == 0) != (major_of(release) >= "13")) continue;
    if (name.rfind("cu1", 0) == 0 && name != folder) continue;
    if (fs::exists(entry.path() / "lib" / file)) return entry.path() / "lib" / file;
  }
  throw std::runtime_error("no wheel on the machine has " + file);
}

void link_directly(Machine* machine, const std::string& release) {
  for (const auto& entry : fs::directory_iterator(machine->site_packages() / "nvidia")) {
    const bool of_13 = entry.path().filename().string().rfind("cu1", 0) == 0;
    if (of_13 == (major_of(release) >= "13")) machine->library_path(entry.path() / "lib");
  }
}

std::string why_not_there(const Library& library) {
  for (const std::string& release : kReleases) {
    for (const Component component : library.wheels) {
      if (!exists(component, release)) continue;
      const std::string why = Artifacts::of_this_build().why_missing(artifact(component, release));
      if (!why.empty()) return why;
    }
    const Path program = patched(library.program + "-" + major_of(release));
    if (!fs::exists(program)) return program.string() + " could not be built";
  }
  return "";
}

}  // namespace anycuda::test
