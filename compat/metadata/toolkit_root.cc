// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/toolkit_root.h"

#include <fnmatch.h>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/metadata/records/version_file.h"
#include "compat/metadata/text_state.h"

namespace anycuda {
namespace {

// NVIDIA's has 1.3 MB.
constexpr std::size_t kMostOfHeader = std::size_t{8} << 20;
// NVIDIA's has 3 KB.
constexpr std::size_t kMostOfVersionFile = std::size_t{1} << 20;
constexpr int kMostLevels = 10;

// Where the files of a toolkit are below its root: NVIDIA's installer's folders, conda's, Debian's.
// A star stands for one name, "/**" for any folders below.
constexpr char kLayout[][40] = {
    "lib",
    "lib64",
    "lib/stubs",
    "lib64/stubs",
    "targets/*/lib",
    "targets/*/lib/stubs",
    "lib/*-linux-gnu",
    "lib/*-linux-gnu/stubs",
    "include/**",
    "targets/*/include/**",
    "include",
    "targets/*/include",
    "bin",
    "nvvm/bin",
    "nvvm/lib",
    "nvvm/lib64",
    "nvvm/libdevice",
    "nvvm/include",
    "extras/CUPTI/lib64",
    "extras/CUPTI/include",
    "compute-sanitizer",
    "compute-sanitizer/include",
    "lib/nvidia-cuda-toolkit/*",
};

bool is_layout(const char* below_root) {
  for (const auto& pattern : kLayout) {
    if (*pattern != *below_root) continue;  // none begins with a star
    const bool deep = text::ends(pattern, "/**");
    // Without FNM_PATHNAME a star stands for slashes too.
    if (fnmatch(pattern, below_root, deep ? 0 : FNM_PATHNAME) == 0) return true;
  }
  return false;
}

class RootSearch {
 public:
  RootSearch(Arena* arena, RootHeaders* headers) : arena_(arena), headers_(headers) {}

  // `root`: "" stands for "/".
  void look(const char* root) {
    const char* known = headers_->searched;
    const char* name = *root != '\0' ? root : "/";
    const char* more = *known != '\0' ? arena_->format("%s, %s", known, name) : arena_->copy(name);
    if (more != nullptr) headers_->searched = more;
    add(arena_->format("%s/include/cuda.h", root));
    targets_ = arena_->format("%s/targets", root);
    if (targets_ != nullptr) each_entry(targets_, "", arena_, visit_target, this);
  }

 private:
  static void visit_target(const char* name, void* argument) {
    auto* search = static_cast<RootSearch*>(argument);
    if (*name == '.') return;
    search->add(search->arena_->format("%s/%s/include/cuda.h", search->targets_, name));
  }

  void add(const char* path) {
    if (path == nullptr || headers_->count == RootHeaders::kMost) return;
    const TextState state = text_.read(path, kMostOfHeader);
    if (state == TextState::missing) return;
    RootHeader& header = headers_->found[headers_->count++];
    header.path = path;
    header.problem = "";
    if (state == TextState::read) {
      header.stated = version_in_cuda_header(text_.text());
      header.problem = describe_header(header.stated);
    } else {
      header.problem = describe_state(state, text_.error());
    }
    if (header.problem == nullptr) header.problem = "has an invalid CUDA_VERSION";
  }

  const char* describe_header(const HeaderVersion& stated) {
    switch (stated.state) {
      case HeaderState::stated:
        return "";
      case HeaderState::not_stated:
        return "has no #define CUDA_VERSION";
      case HeaderState::unclear:
        return stated.number == 0
                   ? "defines CUDA_VERSION as something other than a number"
                   : arena_->format(
                         "has CUDA_VERSION %ld, which is not the number of a CUDA release",
                         stated.number);
      case HeaderState::ambiguous:
        return arena_->format("defines CUDA_VERSION more than once, as %ld and as %ld",
                              stated.number, stated.other);
    }
    return "";
  }

  Arena* arena_;
  RootHeaders* headers_;
  TextFile text_;
  const char* targets_ = nullptr;
};

}  // namespace

const char* Roots::next() {
  while (level_++ < kMostLevels) {
    rest_ = folder_of(rest_);
    if (rest_.empty()) return nullptr;
    const std::size_t skipped = rest_ == "/" ? 1 : rest_.size() + 1;
    if (!is_layout(folder_ + skipped)) continue;
    return rest_ == "/" ? "" : arena_.copy(rest_);
  }
  return nullptr;
}

RootHeaders headers_of_root(const char* folder, Arena* arena) {
  RootHeaders headers = {};
  headers.searched = "";
  RootSearch search(arena, &headers);
  Roots roots(folder, arena);
  while (headers.count == 0) {
    const char* root = roots.next();
    if (root == nullptr) break;
    search.look(root);
  }
  return headers;
}

void add_version_file(const char* folder, Arena* arena, RootHeaders* headers) {
  TextFile text;
  Roots roots(folder, arena);
  headers->version_files = true;
  while (headers->count == 0) {
    const char* root = roots.next();
    if (root == nullptr) return;
    const std::size_t mark = arena->mark();
    const char* path = arena->format("%s/version.json", root);
    const TextState state =
        path != nullptr ? text.read(path, kMostOfVersionFile) : TextState::missing;
    if (state == TextState::missing) {
      arena->rewind(mark);
      continue;
    }
    RootHeader& file = headers->found[headers->count++];
    file.path = path;
    file.problem = "";
    if (state != TextState::read) {
      file.problem = describe_state(state, text.error());
      continue;
    }
    file.stated.version = version_in_version_file(text.text());
    if (!file.stated.version.known()) file.problem = "has no version of CUDA";
  }
}

}  // namespace anycuda
