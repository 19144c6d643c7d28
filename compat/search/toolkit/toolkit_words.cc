// SPDX-License-Identifier: Apache-2.0
#include "compat/search/toolkit/toolkit_words.h"

#include <cstdio>
#include <cstring>

namespace anycuda {
namespace {

constexpr char kNoMemory[] = "no memory to say why";

// A sentence that grows; what does not fit is left out.
class Words {
 public:
  explicit Words(Arena* arena) : arena_(arena) {
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
  // Gives back the room that was not needed.
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

void add_version(Words* words, Version version) {
  words->add("CUDA %d.%d", version.major, version.minor);
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
    case Manager::rpm:
      return "RPM package";
  }
  return "";
}

void add_headers(const ToolkitFacts& facts, Words* words) {
  for (int i = 0; i < facts.headers.count; ++i) {
    const RootHeader& header = facts.headers.found[i];
    words->next();
    if (*header.problem != '\0') {
      words->add("%s %s", header.path, header.problem);
    } else {
      words->add("%s says ", header.path);
      add_version(words, header.stated.version);
      if (facts.header_facts[i].owners == 0 && facts.header_facts[i].owned) {
        words->add(", but belongs to a wheel that does not own the file");
      }
    }
  }
  if (facts.headers.count > 0) return;
  words->next();
  if (*facts.headers.searched == '\0') {
    words->add("it is not in a folder of a CUDA Toolkit, so no cuda.h belongs to it");
  } else {
    words->add("there is no include/cuda.h or targets/*/include/cuda.h%s in %s",
               facts.headers.version_files ? ", and no version.json," : "", facts.headers.searched);
  }
}

void add_owner_without_version(const ToolkitFacts& facts, int owner, Words* words) {
  const OwnerWord& word = facts.words[owner];
  words->next();
  words->add("%s %s owns it, ", kind_of(facts.owners.manager), word.label);
  if (*word.problem != '\0') {
    words->add("and %s", word.problem);
    return;
  }
  words->add("whose version is not a toolkit's");
  if (facts.owners.manager == Manager::dpkg || facts.owners.manager == Manager::rpm) return;
  words->next();
  if (facts.owners.manager == Manager::conda) {
    words->add("it does not depend on a single release of cuda-version");
  } else if (word.vain_pin != nullptr) {
    words->add("%s in %s pins it to another version", word.vain_pin, facts.owners.site->folder);
  } else {
    words->add("no cuda-toolkit in %s pins it to one release", facts.owners.site->folder);
  }
}

// A manager that was asked and does not list the file; a manager without records is left out.
void add_unlisted(const Owners& asked, Words* words) {
  const char* kind = kind_of(asked.manager);
  if (asked.site == nullptr && *asked.problem == '\0') return;
  words->next();
  if (*asked.problem != '\0') {
    words->add("the %s that owns it is unknown: %s", kind, asked.problem);
  } else {
    words->add("no %s in %s lists it", kind, asked.site->folder);
  }
}

void add_nothing_found(const ToolkitFacts& facts, Words* words) {
  for (int i = 0; i < facts.owners.count; ++i) add_owner_without_version(facts, i, words);
  if (facts.owners.count == 0) {
    add_unlisted(facts.wheels, words);
    if (facts.wheels.site == nullptr) words->add("it is not in a folder of Python packages");
    add_unlisted(facts.conda, words);
    add_unlisted(facts.dpkg, words);
    add_unlisted(facts.rpm, words);
  }
  add_headers(facts, words);
}

void add_contradiction(const ToolkitFacts& facts, const OwnerWord& word, Words* words) {
  if (word.facts.pins_differ) {
    words->add("%s %s owns it, and both %s and %s pin it", kind_of(facts.owners.manager),
               word.label, word.pin, word.other_pin);
  } else {
    words->add("its owner's metadata contradict themselves: %s", word.problem);
  }
}

// All owners, each with its version.
void add_owners(const ToolkitFacts& facts, Words* words) {
  words->add("%d %ss own it and do not agree: ", facts.owners.count, kind_of(facts.owners.manager));
  for (int i = 0; i < facts.owners.count; ++i) {
    Version version = word_of(facts.owner_facts[i]);
    for (int j = 0; j < facts.headers.count && !version.known(); ++j) {
      if ((facts.header_facts[j].owners >> i & 1U) != 0) version = facts.header_facts[j].version;
    }
    words->add("%s%s (", i > 0 ? ", " : "", facts.words[i].label);
    if (version.known())
      add_version(words, version);
    else
      words->add("no CUDA version");
    words->add(")");
  }
}

void add_differing_header(const ToolkitFacts& facts, const ToolkitDecision& decision,
                          Words* words) {
  const RootHeader& header = facts.headers.found[decision.header];
  if (decision.owner < 0) {
    const RootHeader& other = facts.headers.found[decision.other_header];
    words->add("%s says ", other.path);
    add_version(words, other.stated.version);
  } else {
    words->add("%s %s, which owns it, is of ", kind_of(facts.owners.manager),
               facts.words[decision.owner].label);
    Version version = word_of(facts.owner_facts[decision.owner]);
    if (!version.known()) version = facts.headers.found[decision.other_header].stated.version;
    add_version(words, version);
  }
  words->add(", but %s says ", header.path);
  add_version(words, header.stated.version);
}

}  // namespace

const char* words_for_unknown(const ToolkitFacts& facts, const ToolkitDecision& decision,
                              Arena* arena) {
  Words words(arena);
  switch (decision.authority) {
    case Authority::contradiction:
      add_contradiction(facts, facts.words[decision.owner], &words);
      break;
    case Authority::owners_differ:
      add_owners(facts, &words);
      break;
    case Authority::header_differs:
      add_differing_header(facts, decision, &words);
      break;
    default:
      add_nothing_found(facts, &words);
  }
  return words.finish();
}

const char* words_for_source(const ToolkitFacts& facts, const ToolkitDecision& decision,
                             Arena* arena) {
  if (decision.authority == Authority::header) {
    return std::strrchr(facts.headers.found[decision.header].path, '/') + 1;
  }
  const OwnerWord& word = facts.words[decision.owner];
  const char* kind = kind_of(facts.owners.manager);
  const char* text = decision.authority == Authority::pin
                         ? arena->format("%s %s, pinned by %s", kind, word.label, word.pin)
                         : arena->format("%s %s", kind, word.label);
  return text != nullptr ? text : kind;
}

}  // namespace anycuda
