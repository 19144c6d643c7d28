// SPDX-License-Identifier: Apache-2.0

// The CUDA Toolkit of a file, decided from its wheels and headers: the rules of metadata.h as a
// pure function of plain values, without allocation. compat/metadata/toolkit_version.cc
// gathers the facts.
#pragma once

#include <cstdint>

#include "anycuda/compat/version.h"

namespace anycuda {

// Package managers, in the order in which they are asked for a file's owner.
enum class Manager : std::uint8_t { wheel, conda, dpkg };  // wheel: pip and its like

// A package whose list of files has the file.
struct OwnerFacts {
  Version pinned;            // of the cuda-toolkit beside it that pins the installed version; of
                             // the single cuda-version that conda's package depends on
  bool pins_differ = false;  // two such, of different toolkits
  Version own;               // its own version or name, where that is the toolkit's
  bool unreliable = false;   // its metadata contradict themselves
  bool wheel = true;         // false: another manager's package
};

// A cuda.h, or a version.json, in the file's root.
struct HeaderFacts {
  Version version;
  bool owned = false;   // by any wheel
  unsigned owners = 0;  // the file's owners that also own this header: a bit for each
};

enum class Authority : std::uint8_t {
  none,           // unknown
  pin,            // `owner`'s
  own_version,    // `owner`'s
  header,         // `header`'s
  contradiction,  // `owner`'s metadata, or the pins for it
  owners_differ,  // `owner` and `other_owner`
  header_differs  // `header` and `owner`; or `header` and `other_header`, if owner < 0
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
Version version_by_owner(const OwnerFacts& owner);

// The first manager that lists the file is its owner, and the others are not asked. Each lists only
// the files that it has installed; pip works within conda's prefix, conda within folders unknown to
// dpkg.
bool needs_next_manager(int owner_count);

// The system's manager, dpkg, has thousands of packages in one place: it is asked only
// if neither another owner nor a header has the version.
bool needs_system_manager(int owner_count, int header_count);

// A toolkit's version.json is read only if no other source has the version.
bool needs_version_file(const OwnerFacts* owners, int owner_count, int header_count);

// The rules, in this order:
// - If an owner's metadata contradict themselves, the toolkit is unknown.
// - An owner's version is its pin, else its own version, else that of a header that it also owns.
// - If owners have different versions, the toolkit is unknown. Owners without a version do not
// count.
// - A header counts only if it belongs to one of the file's owners or to no wheel. If one that
// counts
//   differs from the owners' version, the toolkit is unknown.
// - Without an owner the headers that count decide, if they agree. With wheels that have no version
//   they do not decide: a wheel's file belongs to its wheel's toolkit. The packages of other
//   managers fill a root together: if they have no version, the root's headers decide.
ToolkitDecision decide_toolkit(const OwnerFacts* owners, int owner_count,
                               const HeaderFacts* headers, int header_count);

}  // namespace anycuda
