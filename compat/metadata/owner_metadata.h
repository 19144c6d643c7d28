// SPDX-License-Identifier: Apache-2.0

// The toolkit of a file, by its owner.
#pragma once

#include "compat/metadata/site_packages.h"
#include "compat/metadata/toolkit_rule.h"

namespace anycuda {

// One owner, with its name for messages, and its version. Texts live in the arena.
struct OwnerMetadata {
  const char* label;     // "nvidia-cublas 13.1.0.3"
  const char* metadata;  // its METADATA, or another manager's record
  const char* pin;  // "cuda-toolkit 13.0.2": the first that pins the version it has, or nullptr;
                    // "cuda-version >=12.9,<12.10.0a0"
  const char* pin_metadata;
  const char* other_pin;  // one of another toolkit that does so too, or nullptr
  const char* vain_pin;   // the last that pins it to another version, or nullptr
  const char* problem;    // what is wrong with its metadata; "": nothing
  OwnerFacts facts;
};

// Reads the METADATA of the owner, and of the cuda-toolkit distributions beside it; or the record
// of another manager's package.
OwnerMetadata metadata_of_owner(const Installed& owner, const Owners& owners, Arena* arena,
                                TextFile* text);

}  // namespace anycuda
