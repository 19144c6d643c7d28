// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/owner_metadata.h"

#include "compat/base/lexical_path.h"
#include "compat/metadata/records/conda_record.h"
#include "compat/metadata/records/dpkg_record.h"
#include "compat/metadata/records/plain_version.h"
#include "compat/metadata/text_state.h"
#include "compat/metadata/toolkit_distributions.h"
#include "compat/metadata/toolkit_packages.h"

namespace anycuda {
namespace {

// Names, versions and requirements come first; what follows is a description.
constexpr std::size_t kMostOfMetadata = std::size_t{1} << 20;
// conda's has all files of a package, dpkg's all packages.
constexpr std::size_t kMostOfRecord = std::size_t{64} << 20;

const char* or_unnamed(const char* text) { return text != nullptr ? text : "(out of memory)"; }

const char* label_of(const Distribution& distribution, Arena* arena) {
  return or_unnamed(arena->format(
      "%.*s %.*s", static_cast<int>(distribution.name.size()), distribution.name.data(),
      static_cast<int>(distribution.version.size()), distribution.version.data()));
}

// A record is named after its contents. Versions with more than numbers can be written in several
// ways and are not compared.
bool agree(const Distribution& file, const Distribution& stated) {
  if (!same_distribution(file.name, stated.name)) return false;
  const PlainVersion a = parse_plain_version(file.version);
  const PlainVersion b = parse_plain_version(stated.version);
  return a.count == 0 || b.count == 0 || compare(a, b) == 0;
}

void note_pin(const Distribution& toolkit, const char* metadata, Pin pin, Arena* arena,
              OwnerMetadata* result) {
  const Version version = major_minor(release_segment(toolkit.version));
  if (pin == Pin::none || !version.known()) return;
  if (pin == Pin::unsatisfied) {
    result->vain_pin = label_of(toolkit, arena);
  } else if (!result->facts.pinned.known()) {
    result->facts.pinned = version;
    result->pin = label_of(toolkit, arena);
    result->pin_metadata = metadata;
  } else if (version.major != result->facts.pinned.major ||
             version.minor != result->facts.pinned.minor) {
    result->facts.pins_differ = true;
    result->other_pin = label_of(toolkit, arena);
  }
}

// Two distributions' texts are needed at once: the owner's is copied.
void read_pins(const Site& site, const Distribution& owner, Arena* arena, TextFile* text,
               OwnerMetadata* result) {
  for (const Installed* one = site.first; one != nullptr; one = one->next) {
    if (!same_distribution(one->named.name, "cuda-toolkit")) continue;
    const char* metadata = arena->join(one->folder, "METADATA");
    if (metadata == nullptr || text->read(metadata, kMostOfMetadata, true) != TextState::read) {
      continue;
    }
    const Distribution toolkit = parse_metadata(text->text());
    if (!agree(one->named, toolkit)) continue;
    note_pin(toolkit, metadata, pin_of(text->text(), owner), arena, result);
  }
}

// The contents of METADATA, with copies of its texts.
Distribution read_metadata(const Installed& owner, const char* file, Arena* arena, TextFile* text,
                           OwnerMetadata* result) {
  const TextState state =
      file != nullptr ? text->read(file, kMostOfMetadata, true) : TextState::no_memory;
  if (state != TextState::read) {
    result->problem = or_unnamed(
        arena->format("%s/METADATA %s", owner.folder, describe_state(state, text->error())));
    return {};
  }
  const Distribution stated = parse_metadata(text->text());
  if (stated.name.empty()) {
    result->problem = or_unnamed(arena->format("%s lacks Name or Version", file));
    return {};
  }
  const char* name = arena->copy(stated.name);
  const char* version = arena->copy(stated.version);
  if (name == nullptr || version == nullptr) return {};
  const Distribution kept{name, version};
  result->label = label_of(kept, arena);
  if (!agree(owner.named, kept)) {
    result->facts.unreliable = true;
    result->problem = or_unnamed(arena->format("%s describes %s", file, result->label));
  }
  return kept;
}

OwnerMetadata metadata_of_wheel(const Installed& owner, const Site& site, Arena* arena,
                                TextFile* text) {
  OwnerMetadata result = {};
  result.problem = "";
  result.label = label_of(owner.named, arena);
  result.metadata = or_unnamed(arena->join(owner.folder, "METADATA"));
  const Distribution stated = read_metadata(owner, result.metadata, arena, text, &result);
  if (stated.name.empty()) return result;
  read_pins(site, stated, arena, text, &result);
  if (is_versioned_as_toolkit(stated.name))
    result.facts.own = major_minor(release_segment(stated.version));
  return result;
}

OwnerMetadata metadata_of_conda(const Installed& owner, Arena* arena, TextFile* text) {
  OwnerMetadata result = {};
  result.problem = "";
  result.label = label_of(owner.named, arena);
  result.metadata = owner.folder;
  result.facts.wheel = false;
  const TextState state = text->read(owner.folder, kMostOfRecord);
  if (state != TextState::read) {
    result.problem =
        or_unnamed(arena->format("%s %s", owner.folder, describe_state(state, text->error())));
    return result;
  }
  const CondaRecord record = read_conda_record(text->text(), "");
  result.label = label_of(record.named, arena);
  if (!record.good || !agree(owner.named, record.named)) {
    result.facts.unreliable = true;
    result.problem = or_unnamed(arena->format("%s describes %s", owner.folder, result.label));
    return result;
  }
  if (record.cuda.known()) {
    result.facts.pinned = record.cuda;
    result.pin = or_unnamed(arena->format("cuda-version %.*s", static_cast<int>(record.need.size()),
                                          record.need.data()));
    result.pin_metadata = owner.folder;
  }
  if (release_in(Manager::conda, record.named.name) == ReleaseIn::version) {
    result.facts.own = major_minor(record.named.version);
  }
  return result;
}

// A package's paragraph is in the file for all packages, or in a separate file.
const char* status_of(const Installed& owner, const char* name, Arena* arena) {
  if (name_of(owner.site) != "info") return arena->join(owner.site, name);
  const std::string_view folder = folder_of(owner.site);
  return arena->format("%.*s/status", static_cast<int>(folder.size()), folder.data());
}

OwnerMetadata metadata_of_system(const Installed& owner, Manager manager, Arena* arena,
                                 TextFile* text) {
  OwnerMetadata result = {};
  result.problem = "";
  result.metadata = owner.folder;
  result.facts.wheel = false;
  const std::string_view name = owner.named.name;
  result.label = or_unnamed(arena->copy(name));
  const ReleaseIn where = release_in(manager, name);
  if (where == ReleaseIn::name) result.facts.own = release_in_name(name);
  if (where != ReleaseIn::source_version) return result;
  result.metadata = or_unnamed(status_of(owner, result.label, arena));
  const TextState state = text->read(result.metadata, kMostOfRecord);
  if (state != TextState::read) {
    result.problem =
        or_unnamed(arena->format("%s %s", result.metadata, describe_state(state, text->error())));
    return result;
  }
  const std::string_view version = dpkg_version(text->text(), name);
  if (version.empty()) {
    result.problem =
        or_unnamed(arena->format("%s has no version of this package", result.metadata));
    return result;
  }
  result.label = label_of({name, version}, arena);
  result.facts.own = release_behind_tilde(version);
  return result;
}

}  // namespace

OwnerMetadata metadata_of_owner(const Installed& owner, const Owners& owners, Arena* arena,
                                TextFile* text) {
  switch (owners.manager) {
    case Manager::wheel:
      return metadata_of_wheel(owner, *owners.site, arena, text);
    case Manager::conda:
      return metadata_of_conda(owner, arena, text);
    case Manager::dpkg:
      return metadata_of_system(owner, owners.manager, arena, text);
  }
  return {};
}

}  // namespace anycuda
