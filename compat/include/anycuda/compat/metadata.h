// SPDX-License-Identifier: Apache-2.0

// The CUDA Toolkit that a file belongs to, only from authoritative sources, never from its name.
//
// The sources:
// - The package that owns the file, by the first of these managers that lists it:
//   - pip and its like: a wheel, whose RECORD lists the path as it is; links are not followed.
//     Source: Python packaging, "Recording installed projects". A package without a RECORD does not
//     own any file; a file outside of all RECORDs (editable installs) has no such owner.
//   - conda: PREFIX/conda-meta/NAME-VERSION-BUILD.json, the "files" below PREFIX.
//   - dpkg, for files in the system's /usr, /opt and /lib: /var/lib/dpkg/info/PACKAGE.list, in
//     images without dpkg status.d/PACKAGE.md5sums; they list the file's real path (or that path
//     without /usr, if /lib is a link to /usr/lib). Diversions are not read.
//     One folder has thousands of lists: it is read only if the file's root has no cuda.h.
// - `CUDA_VERSION` in the cuda.h of the root that the file lies in (ROOT/include,
//   ROOT/targets/*/include). Source: CUDA Driver API, "Version Management".
// - "cuda" in ROOT/version.json, if the root has no cuda.h.
//
// The rules:
// - A file that a wheel owns belongs to its wheel's toolkit. The wheel belongs to
//   1. the toolkit of a `cuda-toolkit` distribution beside it that pins the version it has. A pin
//      admits one release: all its versions begin with the same two numbers (`==13.1.0.3.*`,
//      `~=13.0.48`, `<13.1,>=13.0.48`). A wider range (`<14,>=13.2.78`) also admits files of other
//      toolkits and is ignored, as is a pin to another version;
//   2. else its own version, where that is the toolkit's (compat/catalogue/distributions.txt);
//   3. else a cuda.h in the file's root that the same wheel owns.
// - A conda package (compat/catalogue/packages.txt) belongs to the release of cuda-version that it
//   depends on, else its own version, where that is the toolkit's. The prefix's cuda-version says
//   nothing about a package that works with several releases.
// - A dpkg package belongs to the release in its name (cuda-cudart-12-9). Debian's packages
//   belong to the release of their source package, at the end of their version (12.4.127~12.4.1-2).
// - For a package of conda or dpkg that names no release, the cuda.h or version.json decides.
// - Owners that belong to different toolkits: unknown, and the problem names them all.
// - A cuda.h in a folder that wheels share (nvidia/cu13) says nothing about the files of a wheel
//   that does not own it; nor does another package's cuda.h about the file of a conda package that
//   names its release. A cuda.h without an owner, or of the file's owner, must agree: else unknown.
// - Metadata of another distribution or version than its file's or folder's name: unknown.
// - A file without an owner belongs to the toolkit that the cuda.h in its root names, unless that
//   cuda.h is a wheel's, or several differ.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "anycuda/compat/version.h"

namespace anycuda::compat {

struct ToolkitAnswer {
  Version version;      // unknown: `problem` says why
  std::string source;   // "cuda.h", "wheel nvidia-cublas 13.1.0.3, pinned by cuda-toolkit 13.0.2",
                        // "conda package cuda-cudart 12.9.79", "dpkg package cuda-cudart-12-9"
  std::string file;     // the file that names it: a cuda.h, a METADATA, a package's record
  std::string problem;  // "" if known; else the examined files, their contents, and conflicts
  // The only package that owns the file, with its version, also where that is not the toolkit's:
  // "wheel nvidia-nccl-cu12 2.26.2"; "" without one.
  std::string package = {};
};

// Caches its answers: a folder of packages is listed once, a file looked up once. Thread-safe;
// threads that ask at the same time wait for each other.
class ToolkitMetadata {
 public:
  ToolkitMetadata();
  ~ToolkitMetadata();
  ToolkitMetadata(const ToolkitMetadata&) = delete;
  ToolkitMetadata& operator=(const ToolkitMetadata&) = delete;

  // Does not throw for invalid files: `problem` has the reason. `path`: absolute, of a file or of a
  // folder of headers. A folder that wheels share is owned by all wheels that have files in it:
  // pass one header ("include/cublas.h") to get the answer of its wheel only.
  ToolkitAnswer of_file(const std::string& path);

  // Clears the cache; the next of_file() reads again.
  void clear();

 private:
  struct State;
  std::mutex mutex_;
  std::unique_ptr<State> state_;
};

}  // namespace anycuda::compat
