// SPDX-License-Identifier: Apache-2.0

// A computer for a program to run on, made in a few lines: what CUDA is installed where, which
// driver, which environment.
//
//   Machine machine;
//   machine.wheel(cudart, "12.9").driver(535).env("ANYCUDA_LOG", "debug");
//   ProcessResult result = machine.run({program, "argument"});
//
// It is a temporary folder with the real libraries in it, laid out as pip, NVIDIA's installer,
// conda or the distribution would. A program that runs on it sees no variable of the shell that
// runs the tests, and no CUDA of this computer.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "artifacts.h"
#include "process.h"

namespace anycuda::test {

// A library of the toolkit, by the name that its artifacts begin with.
struct Component {
  std::string_view name;
};
inline constexpr Component cudart{"cudart"}, nvrtc{"nvrtc"}, nvjitlink{"nvjitlink"},
    nvjpeg{"nvjpeg"}, cublas{"cublas"}, cufft{"cufft"}, curand{"curand"}, cusolver{"cusolver"},
    cusparse{"cusparse"};

class Machine {
 public:
  using Path = std::filesystem::path;

  explicit Machine(const Artifacts& artifacts = Artifacts::of_this_build());
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Installing. `version` is major.minor, as in the artifacts' names; an artifact that the build
  // has not: MissingArtifact.
  Machine& wheel(Component library,
                 const std::string& version);  // pip, into the virtual environment
  Machine& conda(Component library, const std::string& version);  // conda/lib, CONDA_PREFIX
  Machine& toolkit(Component library,
                   const std::string& version);  // usr/local/cuda-12.9, usr/local/cuda
  Machine& distribution(Component library, const std::string& version);  // usr/lib/x86_64-linux-gnu
  Machine& on_library_path(Component library,
                           const std::string& version);  // a folder in LD_LIBRARY_PATH
  // The driver in the system's folder, and where a plain dlopen("libcuda.so.1") of this machine
  // finds it.
  Machine& driver(int branch);
  // The same, but the dynamic loader does not know that folder.
  Machine& driver_out_of_reach(int branch);

  // The environment of the programs that run here. A variable set by hand wins over what installing
  // has set.
  Machine& env(const std::string& name, const std::string& value);
  Machine& library_path(const Path& folder);  // appends to LD_LIBRARY_PATH
  // LD_PRELOAD with one file, by a link in /tmp: no path with a blank can stand there, and the
  // build may be in one.
  Machine& preload(const Path& library);
  Environment environment() const;

  // Faults, and files that installers do not write. Relative paths are below root(). The cache's
  // files stay as they are: a file that is to change becomes this machine's own first.
  Machine& put_file(const Path& path, std::string_view bytes);
  Machine& put_copy(const Path& path, const Path& from);
  Machine& put_link(const Path& path, const Path& target);
  Machine& put_folder(const Path& path);
  Machine& truncate(const Path& path, std::uintmax_t size);
  Machine& chmod(const Path& path, mode_t mode);
  Machine& remove(const Path& path);

  const Path& root() const { return root_; }  // stands for "/"
  Path site_packages() const { return root_ / "venv/lib/python3.12/site-packages"; }
  Path system_libraries() const;
  Path resolve(const Path& path) const { return path.is_absolute() ? path : root_ / path; }

  // Waits for the program's end. The working folder is the machine's home.
  ProcessResult run(std::vector<std::string> argv,
                    std::chrono::seconds timeout = std::chrono::seconds(120)) const;
  // The same for a program that the kernel and the dynamic linker take for a privileged one.
  ProcessResult run_secure(std::vector<std::string> argv) const;
  // The same for root without its power over permissions: what a file's permissions deny stays
  // denied, as for another user.
  ProcessResult run_without_rights(std::vector<std::string> argv) const;

 private:
  Machine& install_as_named_by_nvidia(Component library, const std::string& version,
                                      const Path& folder);
  ProcessSpec spec(std::vector<std::string> argv) const;
  void put_driver(int branch);
  Path make_own(const Path& path);

  const Artifacts& artifacts_;
  Path root_;
  Environment installed_;  // variables that installing has set
  Environment chosen_;     // variables set by hand
  std::vector<Path> library_path_;
  Path preload_folder_;  // in /tmp, with the link; empty: none
};

}  // namespace anycuda::test
