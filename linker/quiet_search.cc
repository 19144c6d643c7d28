#include "linker/quiet_search.h"

#include <dlfcn.h>

#include <cstring>
#include <new>

#include "anycuda/linker/errors.h"
#include "doctor/libraries.h"
#include "linker/words.h"
#include "loader/advice.h"
#include "loader/candidate_version.h"
#include "loader/reason.h"
#include "loader/search.h"

namespace anycuda::linker {
namespace {

const doctor::Library& library_named(const char* name) {
  for (int i = 0; i < doctor::kLibraryCount; ++i) {
    if (std::strcmp(doctor::kLibraries[i].descriptor->name, name) == 0)
      return doctor::kLibraries[i];
  }
  throw std::bad_alloc();  // never: the names are ours
}

// As loader/open.cc prepares it for a call under the stub's own version node.
void prepare(Search* search, const doctor::Library& library) {
  if (!search->arena.usable()) throw std::bad_alloc();
  search->tables = library.tables;
  search->driver_library = &kDriver;
  search->caller_major = kNativeCaller;
  check_settings(search);
}

bool usable(const Candidate& candidate) { return candidate.image.state == FileState::usable; }

std::string line_about(Candidate* candidate, Search* search) {
  std::string line = std::string("\n  ") + candidate->path;
  if (usable(*candidate)) {
    read_toolkit_version(search, candidate);
    line += std::string(" (") + version_in_words(*candidate, &search->arena) + ")";
  }
  return line + ": " + reason_of(*candidate, search);
}

void tell(Search* search, QuietFind* find) {
  find->report = std::string("no ") + search->library.product + " may serve here";
  find->report += search->first == nullptr ? ": no file of it was found" : ":";
  for (Candidate* c = search->first; c != nullptr; c = c->next) {
    find->report += line_about(c, search);
    const Version version = known_version(*c);
    const bool by_driver = usable(*c) && c->verdict == Verdict::driver_too_old;
    if (!by_driver || !older(find->refused, version)) continue;
    find->refused = version;
    find->refused_path = c->path;
  }
  find->report += std::string("\n  what would help: ") + advice_after(search);
}

}  // namespace

QuietFind find_quietly(const char* library) {
  const doctor::Library& about = library_named(library);
  Search search(*about.descriptor);
  prepare(&search, about);
  // "Beside the caller" is beside this code, for the stub too: its caller is this library.
  const auto* here = reinterpret_cast<const void*>(&find_quietly);
  const Found found = run_search(&search, here, Place::variable, Place::system);
  QuietFind find;
  if (found.handle == nullptr) {
    tell(&search, &find);
    return find;
  }
  find.handle = found.handle;
  find.path = found.path;
  find.version = found.version;
  return find;
}

void check_settings(Search* search) {
  search->policy = read_policy();
  if (search->policy.wrong_count == 0) return;
  const WrongSetting& wrong = search->policy.wrong[0];
  throw BackendError(std::string(wrong.variable) + "=" + wrong.value + " is not understood, so " +
                     search->library.product + " is not looked for: " + advice_after(search));
}

bool driver_rules_hold() {
  const Policy policy = read_policy();
  return policy.mode != Mode::off && !policy.forward_compatibility;
}

bool has_symbol(void* handle, const char* name) {
  if (dlsym(handle, name) != nullptr) return true;
  dlerror();  // ours to clear
  return false;
}

}  // namespace anycuda::linker
