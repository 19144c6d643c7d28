// SPDX-License-Identifier: Apache-2.0
#include "compat/search/toolkit/owner_word.h"

#include "compat/base/lexical_path.h"
#include "compat/search/toolkit/records/conda_record.h"
#include "compat/search/toolkit/records/dpkg_record.h"
#include "compat/search/toolkit/records/plain_version.h"
#include "compat/search/toolkit/toolkit_distributions.h"
#include "compat/search/toolkit/toolkit_packages.h"

namespace anycuda {
namespace {

// Names, versions and requirements come first; what follows is a description.
constexpr std::size_t kMostOfMetadata = std::size_t{1} << 20;
// conda's has all files of a package, dpkg's all packages.
constexpr std::size_t kMostOfRecord = std::size_t{64} << 20;

const char* or_unnamed(const char* text) { return text != nullptr ? text : "(no memory)"; }

const char* label_of(const Distribution& distribution, Arena* arena) {
  return or_unnamed(arena->format(
      "%.*s %.*s", static_cast<int>(distribution.name.size()), distribution.name.data(),
      static_cast<int>(distribution.version.size()), distribution.version.data()));
}

// A record is named after its contents. Versions with more than numbers can be written in several
// ways and are not compared.
bool agree(const Distribution& file, const Distribution& said) {
  if (!same_distribution(file.name, said.name)) return false;
  const PlainVersion a = parse_plain_version(file.version);
  const PlainVersion b = parse_plain_version(said.version);
  return a.count == 0 || b.count == 0 || compare(a, b) == 0;
}

void note_pin(const Distribution& toolkit, const char* metadata, Pin pin, Arena* arena,
              OwnerWord* word) {
  const Version version = major_minor(release_segment(toolkit.version));
  if (pin == Pin::none || !version.known()) return;
  if (pin == Pin::unsatisfied) {
    word->vain_pin = label_of(toolkit, arena);
  } else if (!word->facts.pinned.known()) {
    word->facts.pinned = version;
    word->pin = label_of(toolkit, arena);
    word->pin_metadata = metadata;
  } else if (version.major != word->facts.pinned.major ||
             version.minor != word->facts.pinned.minor) {
    word->facts.pins_differ = true;
    word->other_pin = label_of(toolkit, arena);
  }
}

// Two distributions' texts are needed at once: the owner's is copied.
void read_pins(const Site& site, const Distribution& owner, Arena* arena, TextFile* text,
               OwnerWord* word) {
  for (const Installed* one = site.first; one != nullptr; one = one->next) {
    if (!same_distribution(one->named.name, "cuda-toolkit")) continue;
    const char* metadata = arena->join(one->folder, "METADATA");
    if (metadata == nullptr || text->read(metadata, kMostOfMetadata, true) != TextState::read) {
      continue;
    }
    const Distribution toolkit = parse_metadata(text->text());
    if (!agree(one->named, toolkit)) continue;
    note_pin(toolkit, metadata, pin_of(text->text(), owner), arena, word);
  }
}

// The contents of METADATA, with copies of its texts.
Distribution read_metadata(const Installed& owner, const char* file, Arena* arena, TextFile* text,
                           OwnerWord* word) {
  const TextState state =
      file != nullptr ? text->read(file, kMostOfMetadata, true) : TextState::no_memory;
  if (state != TextState::read) {
    word->problem =
        or_unnamed(arena->format("%s/METADATA %s", owner.folder, words_for(state, text->error())));
    return {};
  }
  const Distribution said = parse_metadata(text->text());
  if (said.name.empty()) {
    word->problem = or_unnamed(arena->format("%s names no distribution and version", file));
    return {};
  }
  const char* name = arena->copy(said.name);
  const char* version = arena->copy(said.version);
  if (name == nullptr || version == nullptr) return {};
  const Distribution kept{name, version};
  word->label = label_of(kept, arena);
  if (!agree(owner.named, kept)) {
    word->facts.unreliable = true;
    word->problem = or_unnamed(arena->format("%s is of %s", file, word->label));
  }
  return kept;
}

OwnerWord word_of_wheel(const Installed& owner, const Site& site, Arena* arena, TextFile* text) {
  OwnerWord word = {};
  word.problem = "";
  word.label = label_of(owner.named, arena);
  word.metadata = or_unnamed(arena->join(owner.folder, "METADATA"));
  const Distribution said = read_metadata(owner, word.metadata, arena, text, &word);
  if (said.name.empty()) return word;
  read_pins(site, said, arena, text, &word);
  if (is_versioned_as_toolkit(said.name))
    word.facts.own = major_minor(release_segment(said.version));
  return word;
}

OwnerWord word_of_conda(const Installed& owner, Arena* arena, TextFile* text) {
  OwnerWord word = {};
  word.problem = "";
  word.label = label_of(owner.named, arena);
  word.metadata = owner.folder;
  word.facts.wheel = false;
  const TextState state = text->read(owner.folder, kMostOfRecord);
  if (state != TextState::read) {
    word.problem =
        or_unnamed(arena->format("%s %s", owner.folder, words_for(state, text->error())));
    return word;
  }
  const CondaRecord record = read_conda_record(text->text(), "");
  word.label = label_of(record.named, arena);
  if (!record.good || !agree(owner.named, record.named)) {
    word.facts.unreliable = true;
    word.problem = or_unnamed(arena->format("%s is of %s", owner.folder, word.label));
    return word;
  }
  if (record.cuda.known()) {
    word.facts.pinned = record.cuda;
    word.pin = or_unnamed(arena->format("cuda-version %.*s", static_cast<int>(record.need.size()),
                                        record.need.data()));
    word.pin_metadata = owner.folder;
  }
  if (release_in(Manager::conda, record.named.name) == ReleaseIn::version) {
    word.facts.own = major_minor(record.named.version);
  }
  return word;
}

// A package's paragraph is in the file for all packages, or in a separate file.
const char* status_of(const Installed& owner, const char* name, Arena* arena) {
  if (name_of(owner.site) != "info") return arena->join(owner.site, name);
  const std::string_view folder = folder_of(owner.site);
  return arena->format("%.*s/status", static_cast<int>(folder.size()), folder.data());
}

OwnerWord word_of_system(const Installed& owner, Manager manager, Arena* arena, TextFile* text) {
  OwnerWord word = {};
  word.problem = "";
  word.metadata = owner.folder;
  word.facts.wheel = false;
  const std::string_view name = owner.named.name;
  word.label = or_unnamed(arena->copy(name));
  const ReleaseIn where = release_in(manager, name);
  if (where == ReleaseIn::name) word.facts.own = release_in_name(name);
  if (where != ReleaseIn::source_version) return word;
  word.metadata = or_unnamed(status_of(owner, word.label, arena));
  const TextState state = text->read(word.metadata, kMostOfRecord);
  if (state != TextState::read) {
    word.problem =
        or_unnamed(arena->format("%s %s", word.metadata, words_for(state, text->error())));
    return word;
  }
  const std::string_view version = dpkg_version(text->text(), name);
  if (version.empty()) {
    word.problem = or_unnamed(arena->format("%s has no version of it", word.metadata));
    return word;
  }
  word.label = label_of({name, version}, arena);
  word.facts.own = release_behind_tilde(version);
  return word;
}

}  // namespace

OwnerWord word_of_owner(const Installed& owner, const Owners& owners, Arena* arena,
                        TextFile* text) {
  switch (owners.manager) {
    case Manager::wheel:
      return word_of_wheel(owner, *owners.site, arena, text);
    case Manager::conda:
      return word_of_conda(owner, arena, text);
    case Manager::dpkg:
    case Manager::rpm:
      return word_of_system(owner, owners.manager, arena, text);
  }
  return {};
}

}  // namespace anycuda
