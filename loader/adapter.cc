// SPDX-License-Identifier: Apache-2.0
#include "loader/adapter.h"

#include "compat/search/driver/driver_lookup.h"
#include "loader/last_error.h"
#include "loader/open.h"
#include "loader/report.h"

namespace anycuda {

void* find_library_function(std::atomic<void*>* cache, const char* name) {
  const Opened* library = opened_library();
  return loaded_function(cache, library != nullptr ? library->handle : nullptr, name);
}

void* find_driver_function(std::atomic<void*>* cache, const char* name) {
  return loaded_function(cache, driver_of_process().handle, name);
}

int library_release() {
  const Opened* library = opened_library();
  if (library == nullptr) return 0;
  Version version = library->version;
  if (version.minor < 0) version.minor = 0;
  return cuda_number(version);
}

Status remember(Status status) {
  const KeepErrno errno_scope;
  remember_error(static_cast<std::int32_t>(status));
  return status;
}

namespace {

// `hint`: nullptr if a library of the program's CUDA is what helps.
Status refuse(Status status, const char* function, const char* why, const char* hint) {
  const KeepErrno errno_scope;
  const Opened* library = opened_library();
  if (library != nullptr) {
    report_no_function({function, why, static_cast<std::int32_t>(status), kOtherMajor,
                        library->version.major, library->path, hint},
                       kLibrary);
  }
  return remember(status);
}

}  // namespace

Status refuse(Status status, const char* function, const char* why) {
  return refuse(status, function, why, nullptr);
}

Status refuse_old_driver(Status status, const char* function, const char* why) {
  return refuse(status, function, why, kNewerDriver);
}

Status missing_function(const char* name) {
  const bool of_driver = is_driver_name(name);
  if (of_driver && driver_of_process().handle == nullptr) {
    return refuse(static_cast<Status>(kTables.status_no_library), name,
                  "this function of the CUDA driver is missing, because no driver was found",
                  "install NVIDIA's display driver (its libcuda.so.1)");
  }
  return refuse(static_cast<Status>(kTables.status_absent), name,
                "neither the library nor the driver of this process has this function",
                of_driver ? kNewerDriver : nullptr);
}

KeepLastError::KeepLastError() : before_(static_cast<Status>(library_last_error())) {}

KeepLastError::~KeepLastError() {
  const KeepErrno errno_scope;
  restore_library_error(static_cast<std::int32_t>(before_));
}

}  // namespace anycuda
