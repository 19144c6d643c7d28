// SPDX-License-Identifier: Apache-2.0

// Where components are: NVIDIA's wheels in the Python environment, conda, CUDA_PATH and CUDA_HOME,
// the system. Nothing is loaded.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "anycuda/compat/catalogue.h"
#include "anycuda/compat/errors.h"

namespace anycuda::compat {

// `beside`: in the root of a companion that the guard rails have accepted. `library_path`: in a
// folder of LD_LIBRARY_PATH.
enum class Found : std::uint8_t {
  loaded,
  beside,
  library_path,
  wheel,
  conda,
  toolkit_variable,
  system
};
const char* name_of(Found where);

struct Located {
  std::string path;  // absolute; the folder for headers, else the file
  std::string file;  // its name as the catalogue has it, "" for headers
  Found where = Found::system;
};

// Looks for components and caches the results, including "not found". Thread-safe; two threads that
// ask at the same time may both look. A process that runs with privileges which its caller does not
// have searches only the system, and reads no variable.
//
// Where: as the stubs search (docs/search.md), without the stubs' own variables and run paths:
// LD_LIBRARY_PATH (dynamic libraries only; in a Python process after the wheels); the wheels above
// this program and in its environment, conda; the component's variables (Component::variables),
// CUDA_PATH, CUDA_HOME and their like; the system (below ANYCUDA_SYSTEM_ROOT):
// usr/local/cuda, its versions from the newest on, opt/cuda, the HPC SDK's and the distribution's
// folders. For dynamic libraries, /etc/ld.so.cache and the distribution's folders come first, as
// for the dynamic linker. Components of the driver are searched like the driver itself: the file
// in ANYCUDA_CUDA, LD_LIBRARY_PATH, the system. PATH is never searched, nor is the current
// directory, except for a relative entry of PYTHONPATH in a Python process.
class Finder {
 public:
  Finder() = default;
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  // The first place that has the component; of several SONAMEs in one folder the newest. A file
  // that cannot be the component (a folder, a pipe, an empty, unreadable or cut-off file, a library
  // of another CPU or another SONAME, an anycuda stub, NVIDIA's stub of the driver for linking, a
  // program that this user may not run) is passed over, and reported if no other file is found.
  // Throws NotFoundError with the places that were searched.
  Located find(const Component& component);

  // The components of all places, best first; a file with several paths appears once. Empty if
  // nothing was found. Programs that this user may not run are left out. Never cached.
  static std::vector<Located> find_all(const Component& component);

  // Clears the cache; the next find() looks again.
  void clear();

 private:
  using Outcome = std::variant<Located, NotFoundError>;
  std::mutex mutex_;  // not held while looking
  std::map<const Component*, Outcome> outcomes_;
  std::uint64_t cleared_ = 0;  // times; what was looked for before is not kept
};

}  // namespace anycuda::compat
