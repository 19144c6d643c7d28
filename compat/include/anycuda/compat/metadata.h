// Of which CUDA Toolkit a file is, from authoritative sources alone, never from its name.
//
// The sources:
// - `CUDA_VERSION` in the cuda.h of the root that the file lies in (ROOT/include,
//   ROOT/targets/*/include). Source: CUDA Driver API, "Version Management".
// - The wheel that owns the file: its RECORD lists the path as it is; links are not followed.
//   Source: Python packaging, "Recording installed projects". What installed a package without a
//   RECORD, or a file that no RECORD lists (editable installs), makes no owner.
//
// The rules:
// - A file that a wheel owns is judged by its wheel. The wheel is of
//   1. the toolkit of a `cuda-toolkit` distribution beside it that pins the version it has, by
//      `==13.1.0.3.*` or by a range that is closed at both ends; a pin to another version says
//      nothing;
//   2. else its own version, where that is the toolkit's (compat/catalogue/distributions.txt);
//   3. else a cuda.h in the file's root that the same wheel owns.
// - Owners that are of different toolkits: unknown, and the problem names them all.
// - A cuda.h in a folder that wheels share (nvidia/cu13) says nothing about the files of a wheel
//   that does not own it. One that the same wheel owns, or none, must not differ: else unknown.
// - A wheel whose METADATA is of another distribution or version than its folder's name: unknown.
// - A file that no wheel owns is of the cuda.h in its root, unless a wheel owns that, or there are
//   several that differ.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "anycuda/compat/version.h"

namespace anycuda::compat {

struct ToolkitAnswer {
  Version version;      // unknown: `problem` says why
  std::string source;   // "cuda.h", "wheel nvidia-cublas 13.1.0.3, pinned by cuda-toolkit 13.0.2"
  std::string file;     // the file that told it: a cuda.h, a METADATA
  std::string problem;  // "": all is well; else what was looked at, what was found, what conflicts
};

// Reads and remembers: a folder of packages is listed once, a file looked up once. Thread-safe;
// threads that ask together wait for each other.
class ToolkitMetadata {
 public:
  ToolkitMetadata();
  ~ToolkitMetadata();
  ToolkitMetadata(const ToolkitMetadata&) = delete;
  ToolkitMetadata& operator=(const ToolkitMetadata&) = delete;

  // Never throws for what files hold: that is the answer's `problem`. `path`: absolute, of a file
  // or of a folder of headers. Of a folder that wheels share, all that have files in it are owners:
  // give the header that is meant ("include/cublas.h") for the word of its own.
  ToolkitAnswer of_file(const std::string& path);

  // Forgets all; the next of_file() reads again.
  void clear();

 private:
  struct State;
  std::mutex mutex_;
  std::unique_ptr<State> state_;
};

}  // namespace anycuda::compat
