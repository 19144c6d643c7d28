// SPDX-License-Identifier: Apache-2.0

// The records of conda's and dpkg's packages, and version.json. Input: lines; a path, a package,
// the text.
#include <cstdint>
#include <string>
#include <string_view>

#include "compat/metadata/records/conda_record.h"
#include "compat/metadata/records/dpkg_record.h"
#include "compat/metadata/records/version_file.h"
#include "compat/metadata/toolkit_packages.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/lines.h"

namespace {

using anycuda::fuzz::must;

bool is_part(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_conda(const std::string& text, const std::string& path) {
  const anycuda::CondaRecord record = anycuda::read_conda_record(text, path);
  must(is_part(record.named.name, text) && is_part(record.named.version, text) &&
           is_part(record.need, text),
       "what is found is part of the text");
  if (!record.good) return;
  must(!record.named.name.empty() && !record.named.version.empty(),
       "a good record is of something");
  must(anycuda::read_conda_record(text + " \n", path).good, "a blank at its end does no harm");
  must(!anycuda::read_conda_record(text + "x", path).good, "something behind it does");
  const std::size_t end = text.find_last_of('}');
  must(!anycuda::read_conda_record(text.substr(0, end), path).good, "it is not cut off");
}

void check_dpkg(const std::string& text, const std::string& path, const std::string& package) {
  must(is_part(anycuda::dpkg_version(text, package), text), "what is found is part of the text");
  if (path.size() > 1) {
    must(anycuda::dpkg_lists(text + "\n" + path, path), "a path's own line lists it");
    must(anycuda::dpkg_lists(path + "\n" + text, path), "a path's own line lists it");
  }
  const anycuda::Version named = anycuda::release_in_name(package);
  must(!named.known() || named.minor >= 0, "a release has a minor");
  const anycuda::Version source = anycuda::release_behind_tilde(package);
  must(!source.known() || source.minor >= 0, "a release has a minor");
  must(anycuda::fits("*", package), "a star is any text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  anycuda::fuzz::Lines lines(data, size);
  const std::string path = "/" + lines.next();
  const std::string package = lines.next();
  const std::string text(lines.rest());
  check_conda(text, path.substr(1));
  check_dpkg(text, path, package);
  anycuda::version_in_version_file(text);
  anycuda::parse_conda_name(package);
  return 0;
}
