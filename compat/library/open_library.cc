// SPDX-License-Identifier: Apache-2.0
#include "compat/library/open_library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <new>

#include "compat/descriptor/libraries.h"
#include "compat/search/check_opened.h"
#include "compat/search/companions/companions.h"
#include "compat/search/folder.h"
#include "compat/search/load_probe.h"
#include "compat/search/machine/linker_tokens.h"
#include "compat/search/reason.h"

namespace anycuda::compat {
namespace {

// The search's description of a library that has a stub; nullptr for all others, which are compared
// with their files only.
const Library* library_of(const Component& component) {
  for (int i = 0; i < kLibraryCount; ++i) {
    if (component.files.contains(kLibraries[i].descriptor->majors[0].soname)) return &kLibraries[i];
  }
  return nullptr;
}

LibraryDescriptor descriptor_of(const Library* library) {
  return library != nullptr ? *library->descriptor : LibraryDescriptor{};
}

// The file as it is right before it is opened, or, if that is known, the one that was evaluated.
void examine(const ComponentInstance& instance, const Library* library, Arena* arena,
             Candidate* candidate) {
  const FileIdentity file = instance.file.inode != 0 ? instance.file : identity_of(instance.path);
  candidate->device = file.device;
  candidate->inode = file.inode;
  if (library == nullptr) return;
  candidate->image.version =
      examine_file(instance.path.c_str(), *library->descriptor, library->symbols, arena)
          .image.version;
}

Candidate candidate_of(const ComponentInstance& instance, const Library* library, bool loaded,
                       Arena* arena) {
  Candidate candidate{};
  candidate.path = instance.path.c_str();
  if (!loaded) examine(instance, library, arena, &candidate);
  Version& version = candidate.image.version;
  if (!version.known()) version = {instance.soname_major, -1};
  // Metadata of another major are about another file: the SONAME decides whether asking starts
  // nothing.
  if (instance.version.major == version.major) candidate.toolkit.version = instance.version;
  return candidate;
}

// A library that is open, and closed again unless it is kept.
class OpenForCheck {
 public:
  explicit OpenForCheck(const std::string& name)
      : opened_(Machine().open(name.c_str(), kOpenFlags)) {}
  ~OpenForCheck() {
    if (!kept_ && opened_.handle != nullptr) dlclose(opened_.handle);
  }
  OpenForCheck(const OpenForCheck&) = delete;
  OpenForCheck& operator=(const OpenForCheck&) = delete;

  const OpenResult& opened() const { return opened_; }
  void keep() { kept_ = true; }

 private:
  const LoadProbe probe_;  // first: it ends after the library is closed
  OpenResult opened_;
  bool kept_ = false;
};

bool same(Version a, Version b) { return a.major == b.major && a.minor == b.minor; }

bool accepted(const ComponentInstance& instance, Version reported, const AcceptsVersion& accepts) {
  const bool both_known = instance.version.known() && reported.known();
  return !both_known || same(instance.version, reported) || accepts(reported);
}

OpenedLibrary open_and_check(const ComponentInstance& instance, const std::string& name,
                             bool loaded, const AcceptsVersion& accepts) {
  OpenedLibrary result;
  if (has_linker_tokens(name.c_str())) {
    result.cause =
        "dlopen() replaces the $ in the library's path ($ORIGIN, $LIB, $PLATFORM) and would open "
        "another file";
    return result;
  }
  Arena arena;
  if (!arena.usable()) throw std::bad_alloc();
  const Library* library = library_of(*instance.component);
  const LibraryDescriptor descriptor = descriptor_of(library);
  Candidate candidate = candidate_of(instance, library, loaded, &arena);
  const Machine machine;
  Companions companions(machine, &arena);
  if (!loaded) companions.open_needed(name.c_str());
  OpenForCheck check(name);
  if (check.opened().handle == nullptr) {
    result.cause = check.opened().error;
    return result;
  }
  candidate.image.state = compare_opened(descriptor, &candidate, check.opened().handle, &arena);
  if (candidate.image.state != FileState::usable) {
    result.mismatch = reason_of(candidate, Report(Request{&descriptor}), &arena);
  } else if (descriptor.is_driver || accepted(instance, candidate.reported.version, accepts)) {
    check.keep();
    if (!loaded) companions.open_parts(descriptor, name.c_str());
    open_companion(descriptor, check.opened().handle, known_version(candidate));
    result.handle = check.opened().handle;
    return result;
  }
  return result;
}

}  // namespace

FileIdentity identity_of(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? FileIdentity{status.st_dev, status.st_ino}
                                          : FileIdentity{};
}

OpenedLibrary open_library(const ComponentInstance& instance, const std::string& name, bool loaded,
                           const AcceptsVersion& accepts) {
  OpenedLibrary result = open_and_check(instance, name, loaded, accepts);
  const bool closed = result.handle == nullptr && result.cause.empty();
  result.stays_open = closed && !loaded && stays_loaded(Machine(), name.c_str());
  return result;
}

}  // namespace anycuda::compat
