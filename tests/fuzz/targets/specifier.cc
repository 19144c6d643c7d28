// SPDX-License-Identifier: Apache-2.0

// Plain versions, as the stubs read them, beside the whole of PEP 440. Input: two lines; a
// specifier, a version.
#include <cstdint>
#include <optional>
#include <string>

#include "anycuda/compat/constraint.h"
#include "anycuda/compat/errors.h"
#include "compat/metadata/records/plain_version.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/lines.h"

namespace {

using anycuda::PlainVersion;
using anycuda::SpecifierAnswer;
using anycuda::compat::Constraint;
using anycuda::fuzz::must;

std::optional<Constraint> constraint_of(const std::string& text) {
  try {
    return Constraint(text);
  } catch (const anycuda::compat::ConstraintError&) {
    return std::nullopt;
  }
}

void check_version(const std::string& text, const PlainVersion& version) {
  must(version.count >= 0 && version.count <= PlainVersion::kMost, "as many numbers as fit");
  must(anycuda::compare(version, version) == 0, "a version is its own");
  const anycuda::Version toolkit = anycuda::major_minor(text);
  must(!toolkit.known() || version.count >= 2, "a toolkit has two numbers");
  if (version.count > 0) {
    must(anycuda::compat::compare_versions(text, text + ".0") == 0, "PEP 440 knows it too");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  anycuda::fuzz::Lines lines(data, size);
  const std::string specifier = lines.next();
  const std::string text = lines.next();
  const PlainVersion version = anycuda::parse_plain_version(text);
  check_version(text, version);
  const SpecifierAnswer answer = anycuda::ask_specifier(specifier, text);
  const auto constraint = constraint_of(specifier);
  if (answer == SpecifierAnswer::unclear || version.count == 0 || !constraint) return 0;
  must(constraint->allows(text) == (answer == SpecifierAnswer::admits),
       "the stubs' answer is that of PEP 440");
  const anycuda::Version only = anycuda::only_release(specifier);
  if (answer != SpecifierAnswer::admits || only.minor < 0 || version.count < 2) return 0;
  must(only.major == static_cast<int>(version.numbers[0]) &&
           only.minor == static_cast<int>(version.numbers[1]),
       "what is admitted is of the only release");
  return 0;
}
