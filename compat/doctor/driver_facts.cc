// SPDX-License-Identifier: Apache-2.0

// The driver, and the GPUs that it sees: cuInit is called here, which no stub does by itself.
#include "compat/search/driver/driver_lookup.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "compat/base/environment.h"
#include "compat/base/text.h"
#include "compat/doctor/ask.h"
#include "compat/doctor/files.h"
#include "compat/doctor/names.h"
#include "compat/doctor/record_writer.h"
#include "compat/metadata/driver/driver_branch.h"
#include "compat/metadata/driver/driver_problem.h"
#include "compat/search/reason.h"

namespace anycuda::doctor {
namespace {

// The driver's functions by name (CUDA Driver API). One that it lacks answers "not found".
class Functions {
 public:
  explicit Functions(void* handle) : handle_(handle) {}
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    using Function = int (*)(Arguments...);
    const auto function = reinterpret_cast<Function>(dlsym(handle_, name));
    return function != nullptr ? function(arguments...) : kNotFound;
  }
  const char* text(const char* name, int status) const {
    const char* result = nullptr;
    const int failed = call(name, status, &result);
    return failed == 0 && result != nullptr ? result : "";
  }

 private:
  static constexpr int kNotFound = 500;  // CUDA_ERROR_NOT_FOUND
  void* handle_;
};

constexpr int kComputeMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kComputeMinor = 76;

void write_call(const Functions& driver, const char* name, int status, RecordWriter* records) {
  records->begin("call")
      .field("name", name)
      .field("status", status)
      .field("error", status != 0 ? driver.text("cuGetErrorName", status) : "")
      .field("text", status != 0 ? driver.text("cuGetErrorString", status) : "")
      .end();
}

void write_device(const Functions& driver, int number, RecordWriter* records) {
  int device = 0;
  char name[256] = "";
  int major = 0;
  int minor = 0;
  std::size_t memory = 0;
  if (const int status = driver.call("cuDeviceGet", &device, number); status != 0) {
    return write_call(driver, "cuDeviceGet", status, records);
  }
  driver.call("cuDeviceGetName", static_cast<char*>(name), static_cast<int>(sizeof name), device);
  driver.call("cuDeviceGetAttribute", &major, kComputeMajor, device);
  driver.call("cuDeviceGetAttribute", &minor, kComputeMinor, device);
  driver.call("cuDeviceTotalMem_v2", &memory, device);
  name[sizeof name - 1] = '\0';
  records->begin("gpu")
      .field("name", name)
      .field("major", major)
      .field("minor", minor)
      .field("memory", static_cast<long long>(memory))
      .end();
}

void write_devices(const Functions& driver, RecordWriter* records) {
  int status = driver.call("cuInit", 0U);
  write_call(driver, "cuInit", status, records);
  if (status != 0) return;
  int count = 0;
  status = driver.call("cuDeviceGetCount", &count);
  write_call(driver, "cuDeviceGetCount", status, records);
  for (int i = 0; status == 0 && i < count; ++i) write_device(driver, i, records);
}

// libcuda.so.1 is a link, and its file's name has the driver's version.
const char* file_behind(const char* path, Arena* arena) {
  auto* real = static_cast<char*>(arena->take_raw(PATH_MAX));
  return real != nullptr && *path != '\0' && realpath(path, real) != nullptr ? real : path;
}

long long size_of(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 ? static_cast<long long>(status.st_size) : -1LL;
}

// Files that are named like a driver and were refused: the cause, if no driver was found.
void write_tried(const Report& report, Arena* arena, RecordWriter* records) {
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    const bool refused = c->image.state != FileState::usable || c->tried;
    if (c == report.chosen || !refused) continue;
    const std::size_t mark = arena->mark();
    char target[PATH_MAX];
    find_missing_target(c->path, target);
    records->begin("tried")
        .field("path", c->path)
        .field("state", name_of(c->image.state))
        .field("size", size_of(c->path))
        .field("target", target)
        .flag("stays_open", c->stays_open)
        .field("reason", reason_of(*c, report, arena))
        .end();
    arena->rewind(mark);
  }
}

// The toolkit's driver for linking in the folders of LD_LIBRARY_PATH, .../lib64/stubs. It is called
// libcuda.so there, which is not the name that programs load and the search looks for.
void write_link_stubs(Arena* arena, RecordWriter* records) {
  const char* entry = environment_variable("LD_LIBRARY_PATH");
  while (entry != nullptr && *entry != '\0') {
    const std::size_t length = std::strcspn(entry, ":;");
    std::string_view folder(entry, length);
    entry += length + (entry[length] != '\0' ? 1 : 0);
    while (!folder.empty() && folder.back() == '/') folder.remove_suffix(1);
    if (folder.empty() || folder[0] != '/' || !text::ends(folder, "/stubs")) continue;
    const std::size_t mark = arena->mark();
    const char* path =
        arena->format("%.*s/libcuda.so", static_cast<int>(folder.size()), folder.data());
    if (path != nullptr && size_of(path) >= 0) {
      records->begin("tried")
          .field("path", path)
          .field("state", name_of(FileState::link_stub))
          .field("size", size_of(path))
          .field("reason", "in the toolkit's folder for linking")
          .end();
    }
    arena->rewind(mark);
  }
}

// Before NVML is asked: should that crash, the driver is known.
void write_driver(const DriverLookup& lookup, Arena* arena, RecordWriter* records) {
  const Driver& driver = lookup.driver;
  records->begin("driver")
      .field("path", driver.path)
      .field("file", file_behind(driver.path, arena))
      .flag("present", driver.facts.present)
      .field("major", driver.facts.cuda.major)
      .field("minor", driver.facts.cuda.minor)
      .field("status", driver.status)
      .field("problem", driver.facts.present ? "" : driver_problem(lookup, arena))
      .end();
  if (driver.handle == nullptr) return;
  const BranchFound branch = find_branch(driver.path, arena);
  records->begin("branch")
      .field("number", branch.number)
      .field("version", branch.version)
      .field("problem", branch.cause)
      .end();
}

}  // namespace
}  // namespace anycuda::doctor

int anycuda_doctor_driver(int file) {
  anycuda::Arena arena;
  const anycuda::DriverLookup lookup = anycuda::look_up_driver(&arena);
  if (lookup.report == nullptr) return ENOMEM;
  const anycuda::Driver& driver = lookup.driver;
  anycuda::doctor::RecordWriter records(file);
  anycuda::doctor::write_tried(*lookup.report, &arena, &records);
  if (driver.handle == nullptr) anycuda::doctor::write_link_stubs(&arena, &records);
  anycuda::doctor::write_driver(lookup, &arena, &records);
  if (driver.handle != nullptr) {
    anycuda::doctor::write_devices(anycuda::doctor::Functions(driver.handle), &records);
  }
  return records.complete() ? 0 : EIO;
}
