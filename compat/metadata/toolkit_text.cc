// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/toolkit_text.h"

#include <cstdio>
#include <cstring>

namespace anycuda {
namespace {

constexpr char kNoMemory[] = "reason unknown, since memory ran out";

// A sentence that grows; what does not fit is left out.
class TextWriter {
 public:
  explicit TextWriter(Arena* arena) : arena_(arena) {
    mark_ = arena->mark();
    text_ = static_cast<char*>(arena->take(kRoom));
  }

  void add(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    if (text_ == nullptr || used_ + 1 >= kRoom) return;
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text_ + used_, kRoom - used_, format, arguments);
    va_end(arguments);
    if (length > 0) used_ += static_cast<std::size_t>(length);
    if (used_ >= kRoom) used_ = kRoom - 1;
  }
  // Between parts of the whole.
  void next() {
    if (used_ != 0) add("; ");
  }
  // Releases the memory that was not needed.
  const char* finish() {
    if (text_ == nullptr) return kNoMemory;
    arena_->rewind(mark_ + (used_ / 16 + 1) * 16);
    return text_;
  }

 private:
  static constexpr std::size_t kRoom = 4096;
  Arena* arena_;
  std::size_t mark_ = 0;
  char* text_;
  std::size_t used_ = 0;
};

void add_version(TextWriter* text, Version version) {
  text->add("CUDA %d.%d", version.major, version.minor);
}

// The manager's kind of package, as it precedes a package's name.
const char* kind_of(Manager manager) {
  switch (manager) {
    case Manager::wheel:
      return "wheel";
    case Manager::conda:
      return "conda package";
    case Manager::dpkg:
      return "dpkg package";
  }
  return "";
}

void add_headers(const ToolkitFacts& facts, TextWriter* text) {
  for (int i = 0; i < facts.headers.count; ++i) {
    const RootHeader& header = facts.headers.found[i];
    text->next();
    if (*header.problem != '\0') {
      text->add("%s %s", header.path, header.problem);
    } else {
      text->add("%s says ", header.path);
      add_version(text, header.stated.version);
      if (facts.header_facts[i].owners == 0 && facts.header_facts[i].owned) {
        text->add(", but belongs to a wheel that does not own the examined file");
      }
    }
  }
  if (facts.headers.count > 0) return;
  text->next();
  if (*facts.headers.searched == '\0') {
    text->add("it is not in a folder of a CUDA Toolkit, so no cuda.h belongs to it");
  } else {
    text->add("there is no include/cuda.h or targets/*/include/cuda.h%s in %s",
              facts.headers.version_files ? ", and no version.json," : "", facts.headers.searched);
  }
}

void add_owner_without_version(const ToolkitFacts& facts, int owner, TextWriter* text) {
  const OwnerMetadata& metadata = facts.owner_metadata[owner];
  text->next();
  text->add("%s %s owns it, ", kind_of(facts.owners.manager), metadata.label);
  if (*metadata.problem != '\0') {
    text->add("and %s", metadata.problem);
    return;
  }
  text->add("but its version is not a CUDA Toolkit version");
  if (facts.owners.manager == Manager::dpkg) return;
  text->next();
  if (facts.owners.manager == Manager::conda) {
    text->add("the package does not depend on a single release of cuda-version");
  } else if (metadata.vain_pin != nullptr) {
    text->add("%s in %s pins the wheel to another version", metadata.vain_pin,
              facts.owners.site->folder);
  } else {
    text->add("no cuda-toolkit in %s pins the wheel to one release", facts.owners.site->folder);
  }
}

// A manager that was asked and does not list the file; a manager without records is left out.
void add_unlisted(const Owners& asked, TextWriter* text) {
  const char* kind = kind_of(asked.manager);
  if (asked.site == nullptr && *asked.problem == '\0') return;
  text->next();
  if (*asked.problem != '\0') {
    text->add("the %s that owns it is unknown: %s", kind, asked.problem);
  } else {
    text->add("no %s in %s lists it", kind, asked.site->folder);
  }
}

void add_nothing_found(const ToolkitFacts& facts, TextWriter* text) {
  for (int i = 0; i < facts.owners.count; ++i) add_owner_without_version(facts, i, text);
  if (facts.owners.count == 0) {
    add_unlisted(facts.wheels, text);
    if (facts.wheels.site == nullptr) text->add("it is not in a folder of Python packages");
    add_unlisted(facts.conda, text);
    add_unlisted(facts.dpkg, text);
  }
  add_headers(facts, text);
}

void add_contradiction(const ToolkitFacts& facts, const OwnerMetadata& metadata, TextWriter* text) {
  if (metadata.facts.pins_differ) {
    text->add("%s %s owns it, and both %s and %s pin the wheel", kind_of(facts.owners.manager),
              metadata.label, metadata.pin, metadata.other_pin);
  } else {
    text->add("the metadata of its owner is contradictory: %s", metadata.problem);
  }
}

// All owners, each with its version.
void add_owners(const ToolkitFacts& facts, TextWriter* text) {
  text->add("%d %ss own it and do not agree: ", facts.owners.count, kind_of(facts.owners.manager));
  for (int i = 0; i < facts.owners.count; ++i) {
    Version version = version_by_owner(facts.owner_facts[i]);
    for (int j = 0; j < facts.headers.count && !version.known(); ++j) {
      if ((facts.header_facts[j].owners >> i & 1U) != 0) version = facts.header_facts[j].version;
    }
    text->add("%s%s (", i > 0 ? ", " : "", facts.owner_metadata[i].label);
    if (version.known())
      add_version(text, version);
    else
      text->add("no CUDA version");
    text->add(")");
  }
}

void add_differing_header(const ToolkitFacts& facts, const ToolkitDecision& decision,
                          TextWriter* text) {
  const RootHeader& header = facts.headers.found[decision.header];
  if (decision.owner < 0) {
    const RootHeader& other = facts.headers.found[decision.other_header];
    text->add("%s says ", other.path);
    add_version(text, other.stated.version);
  } else {
    text->add("%s %s, which owns it, is of ", kind_of(facts.owners.manager),
              facts.owner_metadata[decision.owner].label);
    Version version = version_by_owner(facts.owner_facts[decision.owner]);
    if (!version.known()) version = facts.headers.found[decision.other_header].stated.version;
    add_version(text, version);
  }
  text->add(", but %s says ", header.path);
  add_version(text, header.stated.version);
}

}  // namespace

const char* describe_unknown(const ToolkitFacts& facts, const ToolkitDecision& decision,
                             Arena* arena) {
  TextWriter text(arena);
  switch (decision.authority) {
    case Authority::contradiction:
      add_contradiction(facts, facts.owner_metadata[decision.owner], &text);
      break;
    case Authority::owners_differ:
      add_owners(facts, &text);
      break;
    case Authority::header_differs:
      add_differing_header(facts, decision, &text);
      break;
    default:
      add_nothing_found(facts, &text);
  }
  return text.finish();
}

const char* describe_owner(const ToolkitFacts& facts, Arena* arena) {
  if (facts.owners.count != 1) return "";
  const char* text =
      arena->format("%s %s", kind_of(facts.owners.manager), facts.owner_metadata[0].label);
  return text != nullptr ? text : "";
}

const char* describe_source(const ToolkitFacts& facts, const ToolkitDecision& decision,
                            Arena* arena) {
  if (decision.authority == Authority::header) {
    return std::strrchr(facts.headers.found[decision.header].path, '/') + 1;
  }
  const OwnerMetadata& metadata = facts.owner_metadata[decision.owner];
  const char* kind = kind_of(facts.owners.manager);
  const char* text = decision.authority == Authority::pin
                         ? arena->format("%s %s, pinned by %s", kind, metadata.label, metadata.pin)
                         : arena->format("%s %s", kind, metadata.label);
  return text != nullptr ? text : kind;
}

}  // namespace anycuda
