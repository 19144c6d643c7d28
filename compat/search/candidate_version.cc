// SPDX-License-Identifier: Apache-2.0
#include "compat/search/candidate_version.h"

namespace anycuda {
namespace {

// A source describes another file if it names another major than the file's symbols, or a minor
// that did not have names that the file has.
bool contradicts(Version recorded, const ImageFacts& image) {
  const Version symbols = image.version;
  if (recorded.major == symbols.major) return recorded.minor < symbols.minor;
  return recorded.major < symbols.major || recorded.major > image.newest_major;
}

const char* conflict(const ToolkitVersion& recorded, Version symbols, Arena* arena) {
  const Version version = recorded.version;
  const char* text =
      symbols.minor >= 0
          ? arena->format("%s says CUDA %d.%d, the library's symbols say CUDA %d.%d or later",
                          recorded.source, version.major, version.minor, symbols.major,
                          symbols.minor)
          : arena->format("%s says CUDA %d.%d, the library's symbols say CUDA %d", recorded.source,
                          version.major, version.minor, symbols.major);
  return text != nullptr ? text : "its metadata and its symbols disagree";
}

}  // namespace

void narrow(const ToolkitVersion& recorded, ImageFacts* image) {
  const int major = recorded.version.known() ? recorded.version.major : recorded.major;
  if (major < image->version.major || major > image->newest_major) return;
  if (major != image->version.major) image->version = {major, -1};
  image->newest_major = major;
}

void read_toolkit_version(Search* search, Candidate* candidate) {
  if (candidate->toolkit_read) return;
  candidate->toolkit_read = true;
  const ToolkitVersion recorded =
      toolkit_version_of(candidate->path, &search->arena, &search->sites);
  candidate->toolkit = recorded;
  if (recorded.version.known() && recorded.version.minor >= 0 &&
      !contradicts(recorded.version, candidate->image)) {
    return;
  }
  if (!recorded.version.known()) narrow(recorded, &candidate->image);
  candidate->toolkit.version = {};
  if (recorded.version.known() && recorded.version.minor >= 0) {
    candidate->toolkit.problem = conflict(recorded, candidate->image.version, &search->arena);
  }
}

void read_toolkit_versions(Search* search) {
  if (search->library().is_driver) return;
  for (Candidate* c = search->first; c != nullptr; c = c->next) {
    if (c->image.state == FileState::usable) read_toolkit_version(search, c);
  }
}

}  // namespace anycuda
