// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/driver/driver_branch.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "compat/base/shortage.h"
#include "compat/metadata/driver/nvml.h"
#include "compat/search/folder.h"
#include "compat/search/load_probe.h"
#include "compat/search/search.h"
#include "compat/search/symbols/function.h"

namespace anycuda {
namespace {

constexpr char kFile[] = "libnvidia-ml.so.1";
constexpr MajorRow kMajors[] = {{1, 1, kFile, nullptr}};
const char* const kNoFolders[] = {nullptr};
// It comes with the driver, and is found as the driver is.
const LibraryDescriptor kNvml = {
    "nvml", "NVML", "", "libnvidia-ml.so", "", kMajors, 1, kNoFolders, true, {}, nullptr};

struct NvmlLibrary {
  void* handle = nullptr;
  const char* path = "";
  bool is_others = false;  // the process had it before, and may unload it
};

// Read before it is opened: dlopen of a file that was cut off would end the process.
NvmlLibrary open_file(const char* path, Arena* arena) {
  if (path == nullptr) return {};
  if (examine_file(path, kNvml, nullptr, arena).image.state != FileState::usable) return {};
  const bool is_others = is_loaded(Machine{}, path);
  return {open_shared_library(path, RTLD_NOW | RTLD_LOCAL).handle, path, is_others};
}

NvmlLibrary open_beside(const char* driver_path, Arena* arena) {
  const char* slash = std::strrchr(driver_path, '/');
  if (slash == nullptr) return {};
  const auto length = static_cast<int>(slash - driver_path);
  return open_file(arena->format("%.*s/%s", length, driver_path, kFile), arena);
}

NvmlLibrary open_nvml(const char* driver_path, Arena* arena) {
  NvmlLibrary library = open_beside(driver_path, arena);
  if (library.handle != nullptr) return library;
  auto* real = static_cast<char*>(arena->take_raw(PATH_MAX));
  const bool linked = real != nullptr && noted(realpath(driver_path, real)) != nullptr &&
                      std::strcmp(real, driver_path) != 0;
  if (linked) library = open_beside(real, arena);
  if (library.handle != nullptr) return library;
  Request request{&kNvml};
  request.tiers = kAllTiers & ~only(SearchTier::variable);
  request.only_asks = true;
  const Report* report = search(request, Machine{}, arena);
  if (report == nullptr || report->handle == nullptr) return {};
  return {report->handle, report->chosen->path, report->is_others};
}

template <typename Function>
Function function_of(const NvmlLibrary& library, const char* name) {
  return reinterpret_cast<Function>(find_function(library.handle, name));
}

NvmlFunctions functions_of(const NvmlLibrary& library) {
  NvmlFunctions functions;
  functions.init = function_of<int (*)()>(library, "nvmlInit_v2");
  functions.driver_version =
      function_of<int (*)(char*, unsigned int)>(library, "nvmlSystemGetDriverVersion");
  functions.shutdown = function_of<int (*)()>(library, "nvmlShutdown");
  functions.error_string = function_of<const char* (*)(int)>(library, "nvmlErrorString");
  return functions;
}

const char* cause_of(const NvmlAnswer& answer, const char* path, Arena* arena) {
  const char* text = nullptr;
  switch (answer.failed) {
    case NvmlStep::none:
      return "";
    case NvmlStep::functions:
      text = arena->format("%s lacks functions of NVML", path);
      break;
    case NvmlStep::text:
      text = arena->format("%s reports an unparsable driver version", path);
      break;
    default:
      text = arena->format("%s of %s: error %d%s%s", name_of(answer.failed), path, answer.code,
                           *answer.text != '\0' ? ", " : "", answer.text);
  }
  return text != nullptr ? text : "reason unknown, since memory ran out";
}

}  // namespace

BranchFound find_branch(const char* driver_path, Arena* arena) {
  Arena work;
  if (!work.usable()) return {0, "out of memory during the search for libnvidia-ml.so.1"};
  const NvmlLibrary library = open_nvml(driver_path, &work);
  if (library.handle == nullptr) {
    return {0, "no libnvidia-ml.so.1 can be opened, beside the driver or in the system"};
  }
  const NvmlAnswer answer = ask_branch(functions_of(library));
  const char* const version = arena->copy(answer.version);
  const BranchFound found = {answer.branch, cause_of(answer, library.path, arena),
                             version != nullptr ? version : ""};
  if (library.is_others) dlclose(library.handle);
  return found;
}

}  // namespace anycuda
