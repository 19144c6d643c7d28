#include "compat/search/candidate.h"

namespace anycuda {

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
