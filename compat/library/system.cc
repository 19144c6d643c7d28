// SPDX-License-Identifier: Apache-2.0
#include "compat/library/system.h"

#include <dlfcn.h>
#include <unistd.h>

#include <memory>

#include "compat/library/candidates.h"
#include "compat/search/machine/machine.h"

namespace anycuda::compat {
namespace {

struct Caches {
  explicit Caches(const std::optional<DriverFacts>& given) {
    if (given) {
      driver = std::make_unique<DriverQuery>(*given);
    } else {
      driver = std::make_unique<DriverQuery>();
    }
  }
  Finder finder;
  CandidateLists candidates;
  ToolkitMetadata metadata;
  std::unique_ptr<DriverQuery> driver;
};

// Wheels share folders of headers: the header that proves the folder is of the component's own
// wheel.
std::string file_with_owner(const Component& component, const std::string& path) {
  if (component.kind != Kind::headers) return path;
  for (const std::string_view file : component.files) {
    std::string header = (path + "/").append(file);
    if (access(header.c_str(), F_OK) == 0) return header;
  }
  return path;
}

// If it does not exist (musl has no librt), the library that needs it is opened nevertheless, and
// the dynamic linker reports what is missing.
void open_needed(const std::string& name) {
  open_shared_library(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

System system_of(const Options& options) {
  const auto caches = std::make_shared<Caches>(options.driver);
  System system;
  system.find = [caches](const Component& component) { return caches->finder.find(component); };
  system.find_all = [caches](const Component& component) {
    return caches->candidates.everywhere(component);
  };
  system.find_below = [caches](const ComponentRoot& root, const Component& component) {
    return caches->candidates.below(root, component);
  };
  system.identity_of = identity_of;
  system.version_of = [caches](const Component& component, const std::string& path) {
    return caches->metadata.of_file(file_with_owner(component, path));
  };
  system.driver_cuda = [caches] { return caches->driver->cuda(); };
  system.driver_branch = [caches] { return caches->driver->branch(); };
  system.loaded = loaded_images;
  system.open_needed = open_needed;
  system.open = open_library;
  system.close = [](void* handle) { dlclose(handle); };
  system.forget = [caches] {
    caches->finder.clear();
    caches->candidates.clear();
    caches->metadata.clear();
    caches->driver->clear();
  };
  return system;
}

}  // namespace anycuda::compat
