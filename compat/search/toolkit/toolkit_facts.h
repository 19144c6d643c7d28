// What there is to know about a file's toolkit: its owners' words, its root's headers.
#pragma once

#include "compat/rules/toolkit_rule.h"
#include "compat/search/toolkit/site_packages.h"
#include "compat/search/toolkit/toolkit_root.h"

namespace anycuda {

// One owner, as it is called in messages, and what it says. Texts live in the arena.
struct OwnerWord {
  const char* label;     // "nvidia-cublas 13.1.0.3"
  const char* metadata;  // its METADATA
  const char* pin;  // "cuda-toolkit 13.0.2": the first that pins the version it has, or nullptr
  const char* pin_metadata;
  const char* other_pin;  // one of another toolkit that does so too, or nullptr
  const char* vain_pin;   // the last that pins it to another version, or nullptr
  const char* problem;    // what is wrong with its metadata; "": nothing
  OwnerFacts facts;
};

// Reads the METADATA of the owner, and of the cuda-toolkit distributions beside it.
OwnerWord word_of_owner(const Installed& owner, const Site& site, Arena* arena, TextFile* text);

// What a file's toolkit is decided by.
struct ToolkitFacts {
  Owners owners;
  OwnerWord words[Owners::kMost];
  OwnerFacts owner_facts[Owners::kMost];
  RootHeaders headers;
  HeaderFacts header_facts[RootHeaders::kMost];
};

// `path`: absolute, as text without "..". Reads files, decides nothing.
void gather_toolkit_facts(const char* path, bool is_folder, Arena* arena, Sites* sites,
                          ToolkitFacts* facts);

}  // namespace anycuda
