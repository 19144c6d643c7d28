// SPDX-License-Identifier: Apache-2.0

// The facts about a file's toolkit: its owners' metadata, its root's headers.
#pragma once

#include "compat/metadata/owner_metadata.h"
#include "compat/metadata/toolkit_root.h"
#include "compat/metadata/toolkit_rule.h"

namespace anycuda {

// What a file's toolkit is decided by.
struct ToolkitFacts {
  Owners owners;  // of the first manager that lists the file
  Owners wheels;  // the answers of the managers that were asked
  Owners conda;
  Owners dpkg;
  OwnerMetadata owner_metadata[Owners::kMost];
  OwnerFacts owner_facts[Owners::kMost];
  RootHeaders headers;  // and a version.json
  HeaderFacts header_facts[RootHeaders::kMost];
};

// `path`: absolute, as text without "..". Reads files, decides nothing.
void gather_toolkit_facts(const char* path, bool is_folder, Arena* arena, Sites* sites,
                          ToolkitFacts* facts);

}  // namespace anycuda
