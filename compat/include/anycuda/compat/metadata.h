// Of which CUDA Toolkit a file is, from authoritative sources alone, never from its name:
//
// - `CUDA_VERSION` in the cuda.h of the root that the file lies in (ROOT/include,
//   ROOT/targets/*/include);
// - the wheel that owns it (its RECORD lists the path as it is, links are not followed): the
// version that
//   a `cuda-toolkit` distribution beside it pins it for, or the owner's own version where that is
//   the toolkit's (catalogue.h).
//
// A file that a wheel owns is judged by its wheel: the cuda.h in a folder that several wheels share
// (nvidia/cu13) is another wheel's word. It counts against the wheel only if both are of the same
// wheel.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "anycuda/compat/version.h"

namespace anycuda::compat {

struct ToolkitAnswer {
  Version version;      // unknown: `problem` says why
  std::string source;   // "cuda.h" or "wheel nvidia-cuda-runtime 13.5.37": what told it
  std::string file;     // the file that was read
  std::string problem;  // "": all is well; else what was looked at, what was found, what conflicts
};

// Reads and remembers: a site-packages folder is read once. Thread-safe.
class ToolkitMetadata {
 public:
  ToolkitMetadata();
  ~ToolkitMetadata();
  ToolkitMetadata(const ToolkitMetadata&) = delete;
  ToolkitMetadata& operator=(const ToolkitMetadata&) = delete;

  // Never throws for what files hold: that is the answer's `problem`. `path`: absolute, of a file
  // or a folder of headers.
  ToolkitAnswer of_file(const std::string& path);

  void clear();

 private:
  struct State;
  std::mutex mutex_;
  std::unique_ptr<State> state_;
};

}  // namespace anycuda::compat
