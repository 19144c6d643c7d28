// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstring>

#include "compat/base/lexical_path.h"
#include "compat/descriptor/toolkit_libraries.h"
#include "compat/search/check_opened.h"
#include "compat/search/elf/classify.h"
#include "compat/search/gather.h"
#include "compat/search/machine/loaded.h"
#include "compat/search/version/release_by_name.h"

namespace anycuda {
namespace {

void add_peer(Gathered* gathered, const LoadedCopy& copy) {
  Report& report = gathered->report;
  if (copy.peer == nullptr || report.peer_count == kMostPeers) return;
  const char* const kept = gathered->arena.copy(copy.path);
  if (kept == nullptr) return;
  report.peers[report.peer_count] = copy.peer->version;
  report.peer_paths[report.peer_count++] = kept;
}

void add_relative(Gathered* gathered, const LoadedCopy& copy) {
  Report& report = gathered->report;
  if (copy.relative == nullptr || report.relative_count == kMostRelatives) return;
  const char* const kept = gathered->arena.copy(copy.path);
  if (kept == nullptr) return;
  report.relatives[report.relative_count++] = {*copy.image_of_relative, kept, copy.relative};
}

void visit_loaded(const LoadedCopy& copy, void* argument) {
  auto* const gathered = static_cast<Gathered*>(argument);
  if (copy.image != nullptr) {
    Candidate* const candidate = gathered->add(SearchTier::loaded, copy.path);
    if (candidate != nullptr) candidate->image = *copy.image;
  }
  add_peer(gathered, copy);
  add_relative(gathered, copy);
}

struct RelativesBefore {
  Gathered* gathered;
  const char* path;
  bool at_path = false;
};

void visit_relative(const LoadedCopy& copy, void* argument) {
  auto* const visit = static_cast<RelativesBefore*>(argument);
  if (copy.relative != nullptr && std::strcmp(copy.path, visit->path) == 0) visit->at_path = true;
  if (!visit->at_path) add_relative(visit->gathered, copy);
}

// Of the peers the minor counts, too. A call costs less than a look at the names of its file and
// folders.
void read_peers(Gathered* gathered) {
  for (int i = 0; i < gathered->report.peer_count; ++i) {
    const LibraryDescriptor& library = *gathered->library().peer;
    const char* const path = gathered->report.peer_paths[i];
    Version& peer = gathered->report.peers[i];
    Version told;
    if (void* const handle = gathered->machine.open(path, kOpenFlags | RTLD_NOLOAD).handle) {
      told = ask_version(library, handle, peer).version;
      dlclose(handle);
    }
    if (!told.known()) {
      ImageFacts image;
      image.version = peer;
      told = read_release(library, path, &gathered->arena, &image).version;
    }
    if (told.known()) peer = told;
  }
}

void read_relatives(Gathered* gathered) {
  for (int i = 0; i < gathered->report.relative_count; ++i) {
    LoadedRelative& relative = gathered->report.relatives[i];
    if (relative.image.major_is_known()) continue;
    read_release(*relative.relative->library, relative.path, &gathered->arena, &relative.image);
  }
}

// A variable's file is used or refused, never replaced: it decides before it is open.
constexpr char kNamingVariables[][20] = {"ANYCUDA_CUDART", "ANYCUDA_NVRTC", "ANYCUDA_NVJITLINK",
                                         "ANYCUDA_CUBLAS", "ANYCUDA_CUBLASLT"};

// A toolkit's library, or a stub for one. Renamed stubs, too, define the symbol versions of their
// library.
bool visit_cuda(const LoadedObject& object, void* argument) {
  const auto* const gathered = static_cast<const Gathered*>(argument);
  ProcessCuda& process = gathered->report.process;
  const LoadedNames::OwnNames names = object.names.own_names();
  if (names.soname == nullptr || std::strncmp(names.soname, "lib", 3) != 0) return false;
  const char first = names.soname[3];  // libanycuda..., libcu..., libnv...
  if (first != 'a' && !is_named_like_cuda(names.soname)) return false;
  bool is_stub = false;
  int library = toolkit_library_of(names.soname);
  names.each_version([&](const char* name, bool) {
    is_stub = is_stub || std::strcmp(name, kStubSymbolVersion) == 0;
    if (is_stub && library < 0) library = toolkit_library_of(name);
    return true;
  });
  if (is_stub) {
    if (library >= 0) process.stubs |= std::uint32_t{1} << library;
    return false;
  }
  if (process.major != 0) return false;
  int major = toolkit_major_of(library, names.soname);
  if (major == 0) major = major_of_needed(names.soname);  // of a newer CUDA than the table has
  if (major == 0) return false;
  process.path = gathered->arena.copy(object.name);
  if (process.path != nullptr) process.major = major;
  return false;
}

}  // namespace

void gather_process(Gathered* gathered) {
  ProcessCuda& process = gathered->report.process;
  if (const LoadedRelative* runtime = gathered->report.relative(Bond::runtime)) {
    process.major = runtime->image.version.major;
    process.path = runtime->path;
  }
  each_object(gathered->machine, visit_cuda, gathered);
  for (const auto& variable : kNamingVariables) {
    const char* const file = gathered->machine.variable(variable);
    if (process.major != 0) return;
    if (file == nullptr || *file != '/') continue;
    const char* const name = name_of(file).data();
    process.path = file;
    process.major = toolkit_major_of(toolkit_library_of(name), name);
  }
}

void gather_loaded(Gathered* gathered) {
  gathered->report.loads =
      each_loaded_copy(gathered->machine, gathered->library(), visit_loaded, gathered);
  read_peers(gathered);
  read_relatives(gathered);
}

void gather_relatives_before(const char* path, Gathered* gathered) {
  gathered->report.relative_count = 0;
  RelativesBefore visit{gathered, path};
  each_loaded_copy(gathered->machine, gathered->library(), visit_relative, &visit);
  read_relatives(gathered);
}

}  // namespace anycuda
