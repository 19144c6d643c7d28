// Versions as PEP 440 defines them: read, written in their normal form, compared. Pure functions;
// safe from any thread. Numbers are kept as their digits, so none is too large.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anycuda::compat::pep440 {

// Decimal digits without leading zeros: "0", "13", of any length.
using Number = std::string;

enum class Stage : std::uint8_t { alpha, beta, candidate };

struct PreRelease {
  Stage stage = Stage::alpha;
  Number number;
};

struct Version {
  Number epoch = "0";
  std::vector<Number> release;  // at least one; zeros at its end are kept, they mean nothing
  std::optional<PreRelease> pre;
  std::optional<Number> post;
  std::optional<Number> dev;
  std::vector<std::string> local;  // numbers or lower-case words
};

// Without the blanks that PEP 440 ignores at both ends.
std::string_view trimmed(std::string_view text);

// Any spelling that PEP 440 takes ("Normalization"): "v1.0-RC.1" is 1.0rc1. Nothing for any other
// text.
std::optional<Version> parse(std::string_view text);

// The normal form; parse() of it gives the same version.
std::string to_text(const Version& version);

enum class Local : std::uint8_t { counts, ignored };

// The order of PEP 440 ("Summary of permitted suffixes and relative ordering"): below zero, zero,
// above zero. Releases are as if filled up with zeros.
int compare(const Version& a, const Version& b, Local local = Local::counts);
int compare_releases(const Version& a, const Version& b);

// Development releases are pre-releases too ("Handling of pre-releases").
inline bool is_prerelease(const Version& version) { return version.pre || version.dev; }

// Does `version` begin with what `prefix` says? (`==PREFIX.*`, "Version matching".) Of a prefix
// that is a release alone only its own numbers count.
bool has_prefix(const Version& version, const Version& prefix);

}  // namespace anycuda::compat::pep440
