#include "loader/adapter.h"

#include <dlfcn.h>

#include "compat/search/driver/driver.h"
#include "loader/last_error.h"
#include "loader/open.h"
#include "loader/report.h"

namespace anycuda {
namespace {

void* find_in(void* handle, std::atomic<void*>* kept, const char* name) {
  if (handle == nullptr) return nullptr;
  void* found = dlsym(handle, name);
  if (found == nullptr) dlerror();  // ours to clear: the program must not find our failed look-up
  kept->store(found, std::memory_order_release);
  return found;
}

}  // namespace

void* find_library_function(std::atomic<void*>* kept, const char* name) {
  const Opened* library = opened_library();
  return library != nullptr ? find_in(library->handle, kept, name) : nullptr;
}

void* find_driver_function(std::atomic<void*>* kept, const char* name) {
  return find_in(driver_of_process().handle, kept, name);
}

Status remember(Status status) {
  const KeepErrno kept;
  remember_error(static_cast<std::int32_t>(status));
  return status;
}

Status refuse(Status status, const char* function, const char* why) {
  const KeepErrno kept;
  const Opened* library = opened_library();
  if (library != nullptr) {
    report_no_function({function, why, static_cast<std::int32_t>(status), kOtherMajor,
                        library->version.major, library->path},
                       kLibrary);
  }
  return remember(status);
}

Status missing_function(const char* name) {
  if (is_driver_name(name) && driver_of_process().handle == nullptr) {
    return refuse(static_cast<Status>(kTables.status_no_library), name, "there is no CUDA driver");
  }
  return refuse(static_cast<Status>(kTables.status_absent), name,
                "neither the library nor the driver of this process has it");
}

KeepLastError::KeepLastError() : before_(static_cast<Status>(library_last_error())) {}

KeepLastError::~KeepLastError() {
  const KeepErrno kept;
  restore_library_error(static_cast<std::int32_t>(before_));
}

}  // namespace anycuda
