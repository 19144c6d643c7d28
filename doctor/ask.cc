// What a stub does at a program's first call: the loader's own search, and what it saw on the way.
#include "doctor/ask.h"

#include <cerrno>
#include <cstring>

#include "doctor/libraries.h"
#include "doctor/names.h"
#include "doctor/record.h"
#include "loader/advice.h"
#include "loader/candidate_version.h"
#include "loader/driver.h"
#include "loader/judging.h"
#include "loader/places.h"
#include "loader/reason.h"
#include "loader/search.h"

namespace anycuda::doctor {
namespace {

const Library* find(const char* name) {
  for (int i = 0; i < kLibraryCount; ++i) {
    if (std::strcmp(kLibraries[i].descriptor->name, name) == 0) return &kLibraries[i];
  }
  return nullptr;
}

bool is_caller(const LibraryDescriptor& library, int major) {
  const int index = library.index_of(major);
  return major == kNativeCaller || (index >= 0 && library.majors[index].node != nullptr);
}

// As loader/open.cc prepares it.
void prepare(Search* search, const Library& library, int caller_major) {
  search->tables = library.tables;
  search->driver_library = &kDriver;
  search->caller_major = caller_major;
  search->policy = read_policy();
  search->all_versions = true;
}

// What is in the places that the search did not come to, judged and not opened: for a reader who
// wants to see all that there is.
void look_at_the_rest(Search* search) {
  for (int p = 0; p < kPlaceCount; ++p) {
    if (search->searched[p]) continue;
    gather_place(search, static_cast<Place>(p), nullptr);
    judge_place(search, static_cast<Place>(p));
  }
}

void write_places(const Search& search, Records* records) {
  for (int p = 0; p < kPlaceCount; ++p) {
    const auto place = static_cast<Place>(p);
    records->begin("place")
        .field("name", name_of(place))
        .field("title", place_name(place, search.library))
        .flag("searched", search.searched[p])
        .field("folders", search.folders[p])
        .end();
  }
}

// The setting for which the stub looks for nothing, "" if all are understood.
const char* refused_setting(Search* search) {
  if (search->policy.wrong_count == 0) return "";
  const WrongSetting& wrong = search->policy.wrong[0];
  const char* text = search->arena.format("%s=%s is not understood", wrong.variable, wrong.value);
  return text != nullptr ? text : wrong.variable;
}

// The search ended without a library and before this candidate's place.
bool not_looked_at(const Candidate& candidate, const Found& found, const Search& search) {
  return found.handle == nullptr && !search.searched[static_cast<int>(candidate.place)];
}

const char* reason_against(const Candidate& candidate, const Found& found, Search* search) {
  if (candidate.image.state != FileState::usable) return reason_of(candidate, search);
  if (not_looked_at(candidate, found, *search)) {
    const char* why = search->policy.wrong_count != 0
                          ? refused_setting(search)
                          : search->arena.format("%s names a file", search->library.variable);
    return why != nullptr ? why : search->library.variable;
  }
  // Preferences are between those of one place.
  const bool passed = candidate.verdict == Verdict::accepted && !candidate.tried;
  const bool rival = found.candidate != nullptr && found.candidate->place == candidate.place;
  return passed && rival ? reason_of_preference(*found.candidate, candidate, search)
                         : reason_of(candidate, search);
}

const char* verdict_on(const Candidate& candidate, const Found& found, const Search& search) {
  if (candidate.image.state != FileState::usable) return "";
  return not_looked_at(candidate, found, search) ? "not_looked_at" : name_of(candidate.verdict);
}

// The stub itself wants the branch in strict mode alone; who reads the report wants to know it.
DriverFacts facts_about(const Search& search, Version version) {
  DriverFacts facts = search.driver;
  if (facts.branch == 0 && needs_branch(facts, version)) {
    facts.branch = branch_of_process(driver_of_process()).number;
  }
  return facts;
}

// How the driver stands to it, whatever the mode makes of that; "" where the driver was not asked.
const char* driver_verdict_on(const Candidate& candidate, const Search& search) {
  const bool asked = search.library.rules.driver_bound && search.driver_path != nullptr;
  if (!asked || candidate.image.state != FileState::usable) return "";
  const Version version = known_version(candidate);
  return name_of(
      judge_driver(facts_about(search, version), version, search.policy.forward_compatibility));
}

void write_candidate(const Candidate& candidate, Search* search, const Found& found,
                     Records* records) {
  const std::size_t mark = search->arena.mark();
  const ToolkitVersion& toolkit = candidate.toolkit;
  const Version version = known_version(candidate);
  records->begin("candidate")
      .field("path", candidate.path)
      .field("place", name_of(candidate.place))
      .field("state", name_of(candidate.image.state))
      .field("major", version.major)
      .field("minor", version.minor)
      .flag("exact", toolkit.version.known())
      .field("source", toolkit.source)
      .field("file", toolkit.file)
      .field("problem", toolkit.problem)
      .field("verdict", verdict_on(candidate, found, *search))
      .field("reason", reason_against(candidate, found, search))
      .field("driver", driver_verdict_on(candidate, *search))
      .flag("tried", candidate.tried)
      .flag("taken", &candidate == found.candidate)
      .end();
  search->arena.rewind(mark);
}

void write_answer(Search* search, const Found& found, Records* records) {
  const bool loaded = found.handle != nullptr;
  records->begin("answer")
      .field("path", loaded ? found.path : "")
      .field("major", found.version.major)
      .field("minor", found.version.minor)
      .field("refused", refused_setting(search))
      .field("advice", loaded ? "" : advice_after(search))
      .end();
}

int ask(const Library& library, int caller_major, Records* records) {
  Search search(*library.descriptor);
  if (!search.arena.usable()) return ENOMEM;
  prepare(&search, library, caller_major);
  Found found;
  if (search.policy.wrong_count == 0) {
    found = run_search(&search, nullptr, Place::variable, Place::system);
  }
  // Advice is about what the search saw; the rest of the places is for the reader.
  write_answer(&search, found, records);
  write_places(search, records);
  look_at_the_rest(&search);
  for (const Candidate* c = search.first; c != nullptr; c = c->next) {
    write_candidate(*c, &search, found, records);
  }
  return records->complete() ? 0 : EIO;
}

}  // namespace
}  // namespace anycuda::doctor

int anycuda_doctor_ask(const char* library, int caller_major, int file) {
  const anycuda::doctor::Library* about = anycuda::doctor::find(library);
  if (about == nullptr || !anycuda::doctor::is_caller(*about->descriptor, caller_major)) {
    return ENOENT;
  }
  anycuda::doctor::Records records(file);
  return anycuda::doctor::ask(*about, caller_major, &records);
}
