// SPDX-License-Identifier: Apache-2.0
#include "compat/search/candidate_version.h"

#include "compat/search/version/release_by_name.h"

namespace anycuda {
namespace {

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

}  // namespace

ToolkitVersion read_release(const LibraryDescriptor& library, const char* path, Arena* arena,
                            ImageFacts* image) {
  ToolkitVersion toolkit;
  const NamedRelease named = release_by_name(library, path, releases_of(*image), arena);
  if (!named.range.is_empty()) narrow(named.range, image);
  if (!named.range.is_exact()) {
    toolkit.problem = "no name of its file, folders and packages tells it";
    return toolkit;
  }
  toolkit.version = named.range.version();
  toolkit.source = named.source;
  toolkit.file = named.file;
  return toolkit;
}

void read_toolkit_version(const LibraryDescriptor& library, Candidate* candidate, Arena* arena) {
  if (candidate->toolkit_read) return;
  candidate->toolkit_read = true;
  candidate->toolkit = read_release(library, candidate->path, arena, &candidate->image);
}

}  // namespace anycuda
