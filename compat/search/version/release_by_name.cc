// SPDX-License-Identifier: Apache-2.0
#include "compat/search/version/release_by_name.h"

#include <cstring>

#include "compat/base/folder_entries.h"
#include "compat/base/lexical_path.h"
#include "compat/base/text.h"
#include "compat/base/text_file.h"
#include "compat/base/uncancelled.h"
#include "compat/search/version/name_rule.h"

namespace anycuda {
namespace {

// The one entry of a folder that begins so and tells a release within the range; several tell
// nothing.
struct OneEntry {
  const LibraryDescriptor& library;
  ReleaseRange within;
  std::size_t skipped;  // of the name: what every entry begins with
  Arena* arena;
  ReleaseRange (*read)(const LibraryDescriptor& library, std::string_view rest);
  const char* name = nullptr;
  ReleaseRange range = {};
  int count = 0;
};

void visit_entry(const char* name, void* argument) {
  auto* one = static_cast<OneEntry*>(argument);
  const ReleaseRange range = one->read(one->library, name + one->skipped);
  if (range.is_empty() || range.within(one->within).is_empty()) return;
  if (++one->count == 1) one->name = one->arena->copy(name);
  one->range = range;
}

ReleaseRange read_conda_record(const LibraryDescriptor&, std::string_view name) {
  return releases_of_conda_record(name);
}

// "nvidia_curand_cu12-10.3.10.19.dist-info" -> "wheel nvidia-curand-cu12 10.3.10.19"
const char* wheel_in_words(const char* metadata, Arena* arena) {
  constexpr std::size_t kEnding = sizeof ".dist-info" - 1;
  const auto length = static_cast<int>(std::strlen(metadata) - kEnding);
  auto* const name = static_cast<char*>(arena->take(length + 1));
  if (name == nullptr) return "its wheel";
  for (int i = 0; i < length; ++i) {
    name[i] = metadata[i] == '-' ? ' ' : metadata[i] == '_' ? '-' : metadata[i];
  }
  const char* const text = arena->format("wheel %s", name);
  return text != nullptr ? text : "its wheel";
}

// CUDA_VERSION of a cuda.h, 0 without one. Each header of NVIDIA defines it once, on a separate
// line.
long version_in_header(std::string_view header) {
  constexpr std::string_view kDefinition = "#define CUDA_VERSION ";
  const std::size_t at = text::find(header, kDefinition);
  if (at == text::kNowhere) return 0;
  long number = 0;
  std::string_view rest = text::without(header, at + kDefinition.size());
  for (; !rest.empty() && text::is_digit(rest.front()) && number < 100000; rest.remove_prefix(1)) {
    number = 10 * number + rest.front() - '0';
  }
  return number;
}

// The releases that a file's symbols leave.
ReleaseRange releases_of(const ImageFacts& image) {
  const int newest = image.major_is_known() ? image.version.major : image.newest_major;
  ReleaseRange range = ReleaseRange::of_majors(image.version.major, newest);
  if (image.version.minor > 0) range.first += image.version.minor;
  return range;
}

void narrow(ReleaseRange range, ImageFacts* image) {
  const Version first = range.version();
  if (first.minor > 0 || first.major != image->version.major) {
    image->version = {first.major, first.minor > 0 ? first.minor : -1};
  }
  image->newest_major = range.last / ReleaseRange::kMinors;
}

class Names {
 public:
  Names(const LibraryDescriptor& library, const char* path, ReleaseRange range, Arena* arena)
      : library_(library), arena_(arena), path_(path), range_(range) {}

  // The path as it is given first: a folder of links into a store has the name, and the store has
  // none. The header last: it is opened and read.
  void ask() {
    ask_names(path_);
    if (!range_.is_exact()) find_real_path();
    ask_names(real_);
    header(path_);
    header(real_);
  }
  ReleaseRange range() const { return range_; }
  // What has narrowed the range to one release.
  ToolkitVersion exact() const { return {range_.version(), source_, file_, ""}; }

 private:
  // In the order of their weight: what describes this file before what describes its folder.
  void ask_names(const char* path) {
    for (const auto rule : {&Names::wheel, &Names::number, &Names::toolkit, &Names::conda}) {
      if (path != nullptr && !range_.is_exact()) (this->*rule)(path);
    }
  }

  void find_real_path() {
    const char* const real = ::anycuda::real_path(path_, arena_);
    if (real != nullptr && std::strcmp(real, path_) != 0) real_ = real;
  }

  // An answer outside the range describes another file.
  bool narrows(ReleaseRange answer) const {
    const ReleaseRange both = answer.within(range_);
    return !answer.is_empty() && !both.is_empty() && !(both == range_);
  }
  void take(ReleaseRange answer, const char* source, const char* file) {
    range_ = answer.within(range_);
    source_ = source != nullptr ? source : "a name";
    file_ = file != nullptr ? file : "";
  }

  void wheel(const char* path) {
    const WheelFolder folder = wheel_folder_of(library_, folder_of(path));
    if (folder.site.empty()) return;
    if (folder.major != 0) {
      const ReleaseRange major = ReleaseRange::of_majors(folder.major, folder.major);
      if (narrows(major)) take(major, "the folder of its wheel", path);
    }
    const DistributionName name = distribution_of(library_);
    const char* const site = arena_->copy(folder.site);
    OneEntry one{library_, range_, name.size, arena_, releases_of_metadata};
    if (site == nullptr || !each_entry(site, name.text, arena_, visit_entry, &one)) return;
    if (one.count != 1 || one.name == nullptr || !narrows(one.range)) return;
    take(one.range, wheel_in_words(one.name, arena_), arena_->join(site, one.name));
  }

  void number(const char* path) {
    const std::string_view name = name_of(path);
    const ReleaseRange range = releases_of_number(library_, name);
    if (narrows(range)) take(range, arena_->format("its name %s", name.data()), path);
  }

  void toolkit(const char* path) {
    const std::string_view root = root_of_layout(folder_of(path));
    const ReleaseRange range = releases_of_toolkit_name(root);
    if (!narrows(range)) return;
    const char* const folder = arena_->copy(root);
    take(range, folder != nullptr ? arena_->format("the name of its folder %s", folder) : nullptr,
         folder);
  }

  void conda(const char* path) {
    const std::string_view root = root_of_layout(folder_of(path));
    if (root.empty()) return;
    const char* const records = arena_->join(arena_->copy(root), "conda-meta");
    OneEntry one{library_, range_, 0, arena_, read_conda_record};
    if (records == nullptr || !each_entry(records, "cuda-version-", arena_, visit_entry, &one))
      return;
    if (one.count != 1 || one.name == nullptr || !narrows(one.range)) return;
    const Version version = one.range.version();
    take(one.range, arena_->format("conda's cuda-version %d.%d", version.major, version.minor),
         arena_->join(records, one.name));
  }

  void header(const char* path) {
    if (path == nullptr || range_.is_exact()) return;
    constexpr std::size_t kMost = std::size_t{256} << 10;
    const char* const above = arena_->copy(folder_of(folder_of(path)));
    const char* const file = arena_->join(above, "include/cuda.h");
    TextFile text;
    if (file == nullptr || text.read(file, kMost, true) != TextState::read) return;
    const Version version =
        version_from_cuda_number(static_cast<int>(version_in_header(text.text())));
    if (!version.known()) return;
    const ReleaseRange range = ReleaseRange::of(version.major, version.minor);
    if (narrows(range)) take(range, "cuda.h", file);
  }

  const LibraryDescriptor& library_;
  Arena* arena_;
  const char* path_;
  const char* real_ = nullptr;  // if it is another
  ReleaseRange range_;
  const char* source_ = "";
  const char* file_ = "";
};

}  // namespace

ToolkitVersion read_release(const LibraryDescriptor& library, const char* path, Arena* arena,
                            ImageFacts* image) {
  const Uncancelled uncancelled;
  Names names(library, path, releases_of(*image), arena);
  if (path != nullptr && *path == '/' && !names.range().is_empty()) names.ask();
  if (!names.range().is_empty()) narrow(names.range(), image);
  if (names.range().is_exact()) return names.exact();
  return {{}, "", "", "no name of its file, folders and packages tells it"};
}

}  // namespace anycuda
