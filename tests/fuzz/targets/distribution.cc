// SPDX-License-Identifier: Apache-2.0

// What a distribution states about itself and others. Input: lines; a name, a version, the name of
// a .dist-info folder, METADATA.
#include "compat/metadata/records/distribution.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "compat/metadata/toolkit_distributions.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/lines.h"

namespace {

using anycuda::Distribution;
using anycuda::fuzz::must;

bool is_part(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_names(const std::string& a, std::string_view b) {
  must(anycuda::same_distribution(a, a), "a name is its own");
  must(anycuda::same_distribution(a, b) == anycuda::same_distribution(b, a),
       "the same both ways round");
  std::string other;
  for (const char c : a) {
    if (c == '-' || c == '_' || c == '.') {
      other += "_-";
    } else {
      other += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  must(anycuda::same_distribution(a, other), "spellings do not count");
  must(anycuda::is_of_nvidia(a) == anycuda::is_of_nvidia(other), "nor for NVIDIA's");
  must(anycuda::is_versioned_as_toolkit(a) == anycuda::is_versioned_as_toolkit(other),
       "nor in the list");
}

void check_folder(const std::string& folder) {
  const Distribution named = anycuda::parse_dist_info(folder);
  must(named.name.empty() == named.version.empty(), "a folder has both, or none");
  if (named.name.empty()) return;
  must(std::string(named.name) + "-" + std::string(named.version) + ".dist-info" == folder,
       "name and version are all of the folder's name");
}

void check_metadata(const std::string& text, const Distribution& asked) {
  const Distribution found = anycuda::parse_metadata(text);
  must(found.name.empty() == found.version.empty(), "METADATA has both, or none");
  must(is_part(found.name, text) && is_part(found.version, text), "what is found is in the text");
  const anycuda::Pin pin = anycuda::pin_of(text, asked);
  if (text.find('\r') != std::string::npos) return;
  std::string other;
  for (const char c : text) other += c == '\n' ? "\r\n" : std::string(1, c);
  const Distribution again = anycuda::parse_metadata(other);
  must(again.name == found.name && again.version == found.version, "ends of lines do not count");
  // Longer ones may be too long for a requirement that is joined from several lines.
  must(text.size() > 400 || anycuda::pin_of(other, asked) == pin, "nor for pins");
}

void check_requirement(const std::string& text) {
  const anycuda::Requirement required = anycuda::parse_requirement(text);
  must(is_part(required.name, text) && is_part(required.specifier, text),
       "a requirement's parts are in the text");
  must(!required.name.empty() || required.specifier.empty(), "no name, no specifier");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  anycuda::fuzz::Lines lines(data, size);
  const std::string name = lines.next();
  const std::string version = lines.next();
  const std::string folder = lines.next();
  const std::string metadata = lines.rest();
  check_folder(folder);
  check_names(name, anycuda::parse_dist_info(folder).name);
  check_metadata(metadata, {name, version});
  check_requirement(name + version);
  check_requirement(metadata);
  return 0;
}
