// Of which CUDA Toolkit a file is, decided from what its wheels and headers say: the rules of
// metadata.h as a pure function of plain values, without allocation.
// compat/search/toolkit/toolkit_version.cc gathers the facts.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"

namespace anycuda {

// Package managers, in the order in which they are asked for a file's owner.
enum class Manager : std::uint8_t { wheel, conda, dpkg, rpm };  // wheel: pip and its like

// A package whose list of files has the file.
struct OwnerFacts {
  Version pinned;            // of the cuda-toolkit beside it that pins the version that it has; of
                             // the one cuda-version that conda's package depends on
  bool pins_differ = false;  // two such, of different toolkits
  Version own;               // its own version or name, where that is the toolkit's
  bool unreliable = false;   // its metadata contradict themselves
  bool wheel = true;         // and not another manager's package
};

// A cuda.h in the root that the file lies in, or a version.json.
struct HeaderFacts {
  Version version;
  bool owned = false;   // by any wheel
  unsigned owners = 0;  // of the file's owners, those that own this header too: a bit for each
};

enum class Authority : std::uint8_t {
  none,           // nothing says it
  pin,            // `owner`'s
  own_version,    // `owner`'s
  header,         // `header`'s
  contradiction,  // `owner`'s metadata, or the pins for it
  owners_differ,  // `owner` and `other_owner`
  header_differs  // `header` and what `owner` says; or `header` and `other_header`, if owner < 0
};

struct ToolkitDecision {
  Authority authority = Authority::none;
  Version version;  // unknown for none and for conflicts
  int owner = -1;
  int other_owner = -1;
  int header = -1;
  int other_header = -1;
};

// The owner's version without headers: its pin, else its own version.
Version word_of(const OwnerFacts& owner);

// The first manager that lists the file is its owner, and no other is asked. Each lists only what
// it has installed itself; pip works within conda's prefix, conda within folders unknown to dpkg.
bool needs_next_manager(int owner_count);

// The system's managers, dpkg and RPM, have thousands of packages in one place: they are asked only
// where no other owner and no header can tell the version.
bool needs_system_manager(int owner_count, int header_count);

// A toolkit's version.json is read only where nothing else can tell the version.
bool needs_version_file(const OwnerFacts* owners, int owner_count, int header_count);

// The rules, in this order:
// - An owner whose metadata contradict themselves ends it.
// - An owner's version: its pin, else its own, else that of a header that it owns too.
// - Owners that give different versions: none. Owners that give none do not count.
// - A header counts only if it belongs to one of the file's owners or to no wheel. One that counts
//   and differs from the owners': none.
// - Without an owner the headers that count decide, if they agree. With wheels that give no version
//   they do not: a wheel's file is of its wheel's toolkit. The packages of other managers fill a
//   root together: for those that give no version, the root's headers decide.
ToolkitDecision decide_toolkit(const OwnerFacts* owners, int owner_count,
                               const HeaderFacts* headers, int header_count);

}  // namespace anycuda
