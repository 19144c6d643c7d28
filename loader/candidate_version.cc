#include "loader/candidate_version.h"

namespace anycuda {
namespace {

// A source that names another major than the file's symbols, or a minor before names that the file
// has, is about another file.
bool contradicts(Version told, Version symbols) {
  return told.major != symbols.major || told.minor < symbols.minor;
}

const char* conflict(const ToolkitVersion& told, Version symbols, Arena* arena) {
  const Version version = told.version;
  const char* text =
      symbols.minor >= 0
          ? arena->format("%s says CUDA %d.%d, its own symbols say CUDA %d.%d or later",
                          told.source, version.major, version.minor, symbols.major, symbols.minor)
          : arena->format("%s says CUDA %d.%d, its own symbols say CUDA %d", told.source,
                          version.major, version.minor, symbols.major);
  return text != nullptr ? text : "its metadata and its symbols disagree";
}

}  // namespace

void read_toolkit_version(Search* search, Candidate* candidate) {
  if (candidate->toolkit_read) return;
  candidate->toolkit_read = true;
  const ToolkitVersion told = toolkit_version_of(candidate->path, &search->arena, &search->sites);
  candidate->toolkit = told;
  if (told.version.known() && told.version.minor >= 0 &&
      !contradicts(told.version, candidate->image.version)) {
    return;
  }
  candidate->toolkit.version = {};
  if (told.version.known() && told.version.minor >= 0) {
    candidate->toolkit.problem = conflict(told, candidate->image.version, &search->arena);
  }
}

Version known_version(const Candidate& candidate) {
  return candidate.toolkit.version.known() ? candidate.toolkit.version : candidate.image.version;
}

const char* version_in_words(const Candidate& candidate, Arena* arena) {
  const ToolkitVersion& toolkit = candidate.toolkit;
  const Version symbols = candidate.image.version;
  const char* text = nullptr;
  if (toolkit.version.known()) {
    text = arena->format("CUDA %d.%d, says %s", toolkit.version.major, toolkit.version.minor,
                         toolkit.source);
  } else if (symbols.minor >= 0) {
    text = arena->format("CUDA %d.%d or later", symbols.major, symbols.minor);
  } else {
    text = arena->format("CUDA %d", symbols.major);
  }
  return text != nullptr ? text : "no memory to say which CUDA";
}

}  // namespace anycuda
