#include "compat/search/toolkit/toolkit_facts.h"

#include <climits>
#include <cstdlib>

#include "compat/base/lexical_path.h"
#include "compat/search/toolkit/plain_version.h"
#include "compat/search/toolkit/toolkit_distributions.h"

namespace anycuda {
namespace {

// Names, versions and requirements come first; what follows is a description.
constexpr std::size_t kMostOfMetadata = std::size_t{1} << 20;

const char* or_unnamed(const char* text) { return text != nullptr ? text : "(no memory)"; }

const char* label_of(const Distribution& distribution, Arena* arena) {
  return or_unnamed(arena->format(
      "%.*s %.*s", static_cast<int>(distribution.name.size()), distribution.name.data(),
      static_cast<int>(distribution.version.size()), distribution.version.data()));
}

// A folder is named after what is in it. Versions that are not numbers alone can be written in
// several ways and are not compared.
bool agree(const Distribution& folder, const Distribution& metadata) {
  if (!same_distribution(folder.name, metadata.name)) return false;
  const PlainVersion a = parse_plain_version(folder.version);
  const PlainVersion b = parse_plain_version(metadata.version);
  return a.count == 0 || b.count == 0 || compare(a, b) == 0;
}

void note_pin(const Distribution& toolkit, const char* metadata, Pin pin, Arena* arena,
              OwnerWord* word) {
  const Version version = major_minor(toolkit.version);
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

// Two distributions' texts are wanted at once: the owner's is copied.
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

// What METADATA says, its texts kept.
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
  const char* name = arena->format("%.*s", static_cast<int>(said.name.size()), said.name.data());
  const char* version =
      arena->format("%.*s", static_cast<int>(said.version.size()), said.version.data());
  if (name == nullptr || version == nullptr) return {};
  const Distribution kept{name, version};
  word->label = label_of(kept, arena);
  if (!agree(owner.named, kept)) {
    word->facts.unreliable = true;
    word->problem = or_unnamed(arena->format("%s is of %s", file, word->label));
  }
  return kept;
}

}  // namespace

OwnerWord word_of_owner(const Installed& owner, const Site& site, Arena* arena, TextFile* text) {
  OwnerWord word = {};
  word.problem = "";
  word.label = label_of(owner.named, arena);
  word.metadata = or_unnamed(arena->join(owner.folder, "METADATA"));
  const Distribution said = read_metadata(owner, word.metadata, arena, text, &word);
  if (said.name.empty()) return word;
  read_pins(site, said, arena, text, &word);
  if (is_versioned_as_toolkit(said.name)) word.facts.own = major_minor(said.version);
  return word;
}

namespace {

class Gathering {
 public:
  Gathering(const char* path, bool is_folder, Arena* arena, Sites* sites, ToolkitFacts* facts)
      : path_(path), is_folder_(is_folder), arena_(arena), sites_(sites), facts_(*facts) {}

  void gather() {
    facts_.owners = sites_->owners_of(path_, is_folder_);
    for (int i = 0; i < facts_.owners.count; ++i) hear(i);
    find_headers();
    for (int i = 0; i < facts_.headers.count; ++i) weigh(i);
  }

 private:
  void hear(int owner) {
    facts_.words[owner] =
        word_of_owner(*facts_.owners.found[owner], *facts_.owners.site, arena_, &text_);
    facts_.owner_facts[owner] = facts_.words[owner].facts;
  }

  // A wheel's file is where its RECORD says; any other is where it really is, and only if nothing
  // is there, where it seems to be (folders made of links).
  void find_headers() {
    const LexicalPath seeming(is_folder_ ? std::string_view(path_) : folder_of(path_));
    if (facts_.owners.count == 0 && find_where_it_really_is(seeming.text())) return;
    facts_.headers = headers_of_root(seeming.c_str(), arena_);
  }
  bool find_where_it_really_is(std::string_view seeming) {
    const std::size_t mark = arena_->mark();
    auto* room = static_cast<char*>(arena_->take(PATH_MAX));
    const char* real = room != nullptr ? realpath(path_, room) : nullptr;
    if (real == nullptr) return false;
    const LexicalPath folder(is_folder_ ? std::string_view(real) : folder_of(real));
    arena_->rewind(mark);
    if (folder.text() != seeming) facts_.headers = headers_of_root(folder.c_str(), arena_);
    return facts_.headers.count > 0;
  }

  // Whose a header is matters unless it says what all owners of the file say.
  bool agrees(Version version) const {
    for (int i = 0; i < facts_.owners.count; ++i) {
      const Version word = word_of(facts_.owner_facts[i]);
      if (word.major != version.major || word.minor != version.minor) return false;
    }
    return facts_.owners.count > 0;
  }

  void weigh(int header) {
    HeaderFacts& weight = facts_.header_facts[header];
    const RootHeader& found = facts_.headers.found[header];
    weight.version = found.stated.version;
    if (!weight.version.known() || agrees(weight.version)) return;
    const Owners owners = sites_->owners_of(found.path, false);
    // Whose it is cannot be said: then it is not taken for nobody's.
    weight.owned = owners.count > 0 || *owners.problem != '\0';
    for (int i = 0; i < owners.count; ++i) weight.owners |= bit_of(owners.found[i]);
  }

  // The bit of an owner of the file. One of another name than NVIDIA's wheels have may have been
  // passed over before; it is one now.
  unsigned bit_of(const Installed* candidate) {
    Owners& owners = facts_.owners;
    for (int i = 0; i < owners.count; ++i) {
      if (owners.found[i] == candidate) return 1U << i;
    }
    if (owners.count == 0 || owners.count == Owners::kMost || is_of_nvidia(candidate->named.name) ||
        !sites_->lists(*candidate, path_, is_folder_)) {
      return 0;
    }
    owners.found[owners.count] = candidate;
    hear(owners.count);
    return 1U << owners.count++;
  }

  const char* path_;
  bool is_folder_;
  Arena* arena_;
  Sites* sites_;
  ToolkitFacts& facts_;
  TextFile text_;
};

}  // namespace

void gather_toolkit_facts(const char* path, bool is_folder, Arena* arena, Sites* sites,
                          ToolkitFacts* facts) {
  Gathering(path, is_folder, arena, sites, facts).gather();
}

}  // namespace anycuda
