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

void add_process(Gathered* gathered, const LoadedCopy& copy) {
  ProcessCuda& process = gathered->report.process;
  process.stubs |= copy.stub;
  if (copy.cuda_major == 0 || process.major != 0) return;
  process.path = gathered->arena.copy(copy.path);
  if (process.path != nullptr) process.major = copy.cuda_major;
}

void visit_loaded(const LoadedCopy& copy, void* argument) {
  auto* const gathered = static_cast<Gathered*>(argument);
  if (copy.image != nullptr) {
    Candidate* const candidate = gathered->add(SearchTier::loaded, copy.path);
    if (candidate != nullptr) candidate->image = *copy.image;
  }
  add_peer(gathered, copy);
  add_relative(gathered, copy);
  add_process(gathered, copy);
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

void read_process(Gathered* gathered) {
  ProcessCuda& process = gathered->report.process;
  if (const LoadedRelative* runtime = gathered->report.relative(Bond::runtime)) {
    process.major = runtime->image.version.major;
    process.path = runtime->path;
  }
  for (const auto& variable : kNamingVariables) {
    const char* const file = gathered->machine.variable(variable);
    if (process.major != 0) return;
    if (file == nullptr || *file != '/') continue;
    const char* const name = name_of(file).data();
    process.path = file;
    process.major = toolkit_major_of(toolkit_library_of(name), name);
  }
}

}  // namespace

void gather_loaded(Gathered* gathered) {
  gathered->report.loads =
      each_loaded_copy(gathered->machine, gathered->library(), visit_loaded, gathered);
  read_peers(gathered);
  read_relatives(gathered);
  if (!gathered->library().is_driver) read_process(gathered);
}

void gather_relatives_before(const char* path, Gathered* gathered) {
  gathered->report.relative_count = 0;
  RelativesBefore visit{gathered, path};
  each_loaded_copy(gathered->machine, gathered->library(), visit_relative, &visit);
  read_relatives(gathered);
}

}  // namespace anycuda
