// SPDX-License-Identifier: Apache-2.0

// Versions that consist only of numbers ("13.1.0.3"), and specifiers over them. Pure, only libc.
//
// Source: PEP 440, "Version specifiers". NVIDIA numbers its releases so; a version with an epoch, a
// pre-, post-, development or local part is not a plain version, and satisfies no specifier here.
// (constraint.h implements all of PEP 440, and allocates.)
#pragma once

#include <string_view>

#include "anycuda/compat/version.h"

namespace anycuda {

struct PlainVersion {
  static constexpr int kMost = 8;
  unsigned numbers[kMost];
  int count;  // 0: the text is not a plain version
};

PlainVersion parse_plain_version(std::string_view text);
// 1.0 is 1.0.0.
int compare(const PlainVersion& a, const PlainVersion& b);
// "12.9.79" of "12.9.79.post1", "12.9.79.dev0", "12.9.79+site" and the like (PEP 440): a rebuilt
// wheel belongs to the same CUDA. Empty: the text is not such a version.
std::string_view release_segment(std::string_view version);
// The first two numbers; unknown where there are fewer.
Version major_minor(std::string_view text);

enum class SpecifierAnswer : char { unclear, excludes, admits };

// Do all clauses of "==13.1.0.3.*" or "<13.1,>=13.0.48" admit the version? `unclear`: a clause is
// not a specifier over plain versions.
SpecifierAnswer ask_specifier(std::string_view specifier, std::string_view version);

// The first two numbers, if all versions that the clauses admit begin with the same two: so with
// "==13.1.0.3.*", "~=13.0.48" and "<13.1,>=13.0.48", and not with "<14,>=13.2". Else minor < 0.
Version only_release(std::string_view specifier);

}  // namespace anycuda
