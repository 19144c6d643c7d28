// SPDX-License-Identifier: Apache-2.0
#include "compat/search/check_opened.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>

#include "compat/base/arena.h"
#include "compat/base/lexical_path.h"
#include "compat/base/uncancelled.h"
#include "compat/search/machine/linker_tokens.h"
#include "compat/search/symbols/function.h"

namespace anycuda {
namespace {

constexpr int kErrorStubLibrary = 34;  // CUDA_ERROR_STUB_LIBRARY (CUDA Driver API, CUresult)

// The path of the file that was opened, if it is another than the candidate's.
const char* other_file(const Candidate& candidate, void* handle) {
  if (candidate.inode == 0) return nullptr;  // not examined: the process had it already
  const char* path = opened_path(handle);
  struct stat status;
  if (path == nullptr || *path != '/' || stat(path, &status) != 0) return nullptr;
  const bool same = status.st_dev == candidate.device && status.st_ino == candidate.inode;
  return same ? nullptr : path;
}

bool is_at_least(Version version, Version since) {
  const int minor = version.minor > 0 ? version.minor : 0;
  return version.major != since.major ? version.major > since.major : minor >= since.minor;
}

// A path that cannot be made is nullptr.
bool open_file(const char* path) {
  return path != nullptr && !has_linker_tokens(path) &&
         open_shared_library(path, kOpenFlags).handle != nullptr;
}

}  // namespace

Reported ask_version(const LibraryDescriptor& library, void* handle, Version seeming) {
  Reported reported;
  const VersionFunction& function = library.version_function;
  if (function.form == VersionForm::none || !is_at_least(seeming, function.since)) return reported;
  void* address = find_function(handle, function.name);
  if (address == nullptr) return reported;
  reported.asked = true;
  int first = 0;
  int second = 0;
  if (function.form == VersionForm::number) {
    reported.status = reinterpret_cast<int (*)(int*)>(address)(&first);
    if (reported.status == 0) reported.version = version_from_cuda_number(first);
  } else {
    reported.status = reinterpret_cast<int (*)(int*, int*)>(address)(&first, &second);
    if (reported.status == 0) reported.version = {first, second};
  }
  return reported;
}

const char* opened_path(void* handle) { return static_cast<const link_map*>(handle)->l_name; }

FileState compare_opened(const LibraryDescriptor& library, Candidate* candidate, void* handle,
                         Arena* arena) {
  ImageFacts& image = candidate->image;
  if (const char* other = other_file(*candidate, handle)) {
    image.detail = arena->copy(other);
    return FileState::other_file_opened;
  }
  candidate->reported = ask_version(library, handle, known_version(*candidate));
  const Reported& reported = candidate->reported;
  if (library.is_driver) {
    return reported.status == kErrorStubLibrary ? FileState::link_stub : FileState::usable;
  }
  if (reported.version.known() && reported.version.major != image.version.major) {
    image.detail = arena->format("%d.%d", reported.version.major, reported.version.minor);
    return FileState::other_version;
  }
  return FileState::usable;
}

void open_companion(const LibraryDescriptor& library, void* handle, Version seeming) {
  if (library.opens == nullptr) return;
  const Uncancelled uncancelled;
  const Version version = ask_version(library, handle, seeming).version;
  Arena arena;
  const char* const name = arena.format("%s.%d.%d", library.opens, version.major, version.minor);
  // Absolute, even if the library was opened by a relative path.
  auto* const folder = static_cast<char*>(arena.take_raw(PATH_MAX));
  auto* const real = static_cast<char*>(arena.take_raw(PATH_MAX));
  if (!version.known() || name == nullptr || real == nullptr) return;
  if (dlinfo(handle, RTLD_DI_ORIGIN, folder) != 0 || open_file(arena.join(folder, name))) return;
  // The library may be a link, for example in the system's folder, to a file in a toolkit.
  const char* const link = arena.join(folder, name_of(opened_path(handle)).data());
  if (link == nullptr || realpath(link, real) == nullptr) return;
  const char* const real_folder = arena.copy(folder_of(real));
  if (real_folder != nullptr) open_file(arena.join(real_folder, name));
}

}  // namespace anycuda
