// One file that might be the library, what is known of it, and the list a search makes of them.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "compat/candidate_rule.h"
#include "loader/arena.h"
#include "loader/environment.h"
#include "loader/library.h"
#include "loader/site_packages.h"
#include "loader/toolkit_version.h"

namespace anycuda {

// Classes of places, in the order in which a user expects them to win over each other.
enum class Place : std::uint8_t { variable, loaded, library_path, environment, toolkit, system };
constexpr int kPlaceCount = 6;
// "LD_LIBRARY_PATH", as reports name the class.
const char* place_name(Place place, const LibraryDescriptor& library);

enum class FileState : std::uint8_t {
  usable,
  missing,
  unreadable,
  not_a_file,
  not_absolute,  // named by the user, but not by its full path
  not_elf,
  other_architecture,
  truncated,
  other_library,  // another SONAME than this library's
  anycuda_stub,
  core_symbol_missing,
  out_of_memory,
  open_failed
};

// What a file says about itself, read without loading it.
struct ImageFacts {
  FileState state = FileState::missing;
  int error = 0;                 // errno, where the state comes from a system call
  const char* detail = nullptr;  // a symbol, a SONAME, dlerror's text
  Version version;               // minor: at least this one, from the names it exports
};

struct Candidate {
  Candidate* next;
  const char* path;
  const char* file_version;  // "12.9.79" of libcudart.so.12.9.79 behind all links: order only
  dev_t device;
  ino_t inode;
  Place place;
  ImageFacts image;
  // Which toolkit it is of, once that has been read (candidate_version.h).
  ToolkitVersion toolkit;
  bool toolkit_read;
  Verdict verdict;
  bool tried;  // judged; false for those that an earlier success made needless
};

// A loaded library that LTO-IR could come from, or go to.
struct Partner {
  Version version;
  const char* path;
};
constexpr int kMostPartners = 4;

// Everything one search has seen. Lives in its arena.
struct Search {
  explicit Search(const LibraryDescriptor& descriptor) : library(descriptor) {}
  const LibraryDescriptor& library;
  const Tables* tables = nullptr;  // nullptr: no symbol check (the driver seen from another stub)
  Arena arena;
  Sites sites{&arena};  // Python's folders that versions were read in
  Candidate* first = nullptr;
  Candidate* last = nullptr;
  int folders[kPlaceCount] = {};
  bool searched[kPlaceCount] = {};
  // The driver that rules may ask for; nullptr: as without one.
  const LibraryDescriptor* driver_library = nullptr;
  // What has been asked of it.
  DriverFacts driver;
  const char* driver_path = nullptr;
  const char* branch_problem = nullptr;
  Partner partners[kMostPartners] = {};
  int partner_count = 0;
  int caller_major = kNativeCaller;
  int loaded_major = 0;
  Policy policy;
  // Read every version, not only those that a decision depends on: for who wants to tell them.
  bool all_versions = false;

  Candidate* add(Place place, const char* path);
  // Does the library's variable name a file?
  bool variable_names_a_file() const;
};

}  // namespace anycuda
