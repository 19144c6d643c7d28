// SPDX-License-Identifier: Apache-2.0

// The machine as the guard rails use it; tests replace it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "anycuda/compat/driver_query.h"
#include "anycuda/compat/find.h"
#include "anycuda/compat/guard_rails.h"
#include "anycuda/compat/metadata.h"
#include "compat/library/component_root.h"
#include "compat/library/decision.h"
#include "compat/library/open_library.h"

namespace anycuda::compat {

// Any thread may call any of them; no lock of the guard rails is held then.
struct System {
  std::function<Located(const Component&)> find;  // the first candidate; throws NotFoundError
  std::function<FoundFiles(const Component&)> find_all;  // of all search tiers, in order
  // Below the root of a companion.
  std::function<FoundFiles(const ComponentRoot&, const Component&)> find_below;
  // Of a file as it is now; throws nothing.
  std::function<FileIdentity(const std::string& path)> identity_of;
  // Throws nothing.
  std::function<ToolkitAnswer(const Component&, const std::string& path)> version_of;
  std::function<Version()> driver_cuda;                              // throws DriverQueryError
  std::function<BranchAnswer()> driver_branch;                       // throws nothing
  std::function<std::vector<LoadedImage>(const Component&)> loaded;  // the newest name first
  std::function<void(const std::string& name)> open_needed;          // for all libraries to see
  // open_library().
  std::function<OpenedLibrary(const ComponentInstance&, const std::string& name, bool loaded,
                              const AcceptsVersion&)>
      open;
  std::function<void(void* handle)> close;  // of open()
  std::function<void()> forget;             // all that is cached
};

// This machine, with a new finder, metadata reader and driver query.
System system_of(const Options& options);

// The loaded copies of a dynamic library, under any file name, without anycuda's stubs. In the
// order of the row's names, the newest first.
std::vector<LoadedImage> loaded_images(const Component& component);

}  // namespace anycuda::compat
