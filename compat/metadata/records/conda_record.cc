// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/conda_record.h"

#include "compat/base/text.h"
#include "compat/metadata/records/json.h"
#include "compat/metadata/records/plain_version.h"

namespace anycuda {
namespace {

// Takes the part behind the last dash off `text`; empty without a dash.
std::string_view take_last(std::string_view* text) {
  std::size_t dash = text->size();
  while (dash > 0 && (*text)[dash - 1] != '-') --dash;
  if (dash == 0) return {};
  const std::string_view part = text::without(*text, dash);
  *text = text::first(*text, dash - 1);
  return part;
}

// "cuda-version >=12.9,<12.10.0a0": the specifier, without a build's that may follow.
std::string_view specifier_of(std::string_view dependency) {
  constexpr std::string_view kName = "cuda-version ";
  if (!text::begins(dependency, kName)) return {};
  const std::string_view rest = text::trimmed(text::without(dependency, kName.size()));
  return text::first(rest, text::find(rest, " "));
}

// conda ends an upper bound with "a0" where not even its pre-releases are admitted: for releases
// that changes nothing.
Version release_of(std::string_view specifier) {
  char buffer[64];
  std::size_t length = 0;
  while (!specifier.empty()) {
    if (length == sizeof buffer) return {};
    if (text::begins(specifier, "a0") || text::begins(specifier, ".a0")) {
      specifier = text::without(specifier, specifier.front() == '.' ? 3 : 2);
    } else {
      buffer[length++] = specifier.front();
      specifier.remove_prefix(1);
    }
  }
  return only_release({buffer, length});
}

class Reading {
 public:
  Reading(std::string_view text, std::string_view path) : json_(text), path_(path) {}

  CondaRecord read() {
    JsonString name;
    if (json_.enter_object()) {
      while (json_.next_member(&name)) member(name);
    }
    record_.good = json_.finished() && names_ == 1 && versions_ == 1 && files_ == 1 &&
                   depends_ <= 1 && !record_.named.name.empty() && !record_.named.version.empty();
    record_.cuda = release_of(record_.need);
    return record_;
  }

 private:
  void member(const JsonString& name) {
    if (name.is("name")) {
      ++names_;
      record_.named.name = plain_string();
    } else if (name.is("version")) {
      ++versions_;
      record_.named.version = plain_string();
    } else if (name.is("files")) {
      ++files_;
      read_files();
    } else if (name.is("depends")) {
      ++depends_;
      read_depends();
    } else {
      json_.skip();
    }
  }

  // Names and versions of conda need no escapes.
  std::string_view plain_string() {
    JsonString string;
    if (!json_.take_string(&string)) json_.skip();
    return string.is_plain() ? string.written : std::string_view();
  }

  void read_files() {
    if (!json_.enter_array()) {
      ++files_;  // something else: not good
      return json_.skip();
    }
    while (json_.next_element()) {
      JsonString file;
      if (!json_.take_string(&file)) {
        ++files_;
        json_.skip();
      } else if (!record_.lists) {
        record_.lists = file.is(path_);
      }
    }
  }

  void read_depends() {
    if (!json_.enter_array()) return json_.skip();
    while (json_.next_element()) {
      const std::string_view need = specifier_of(plain_string());
      if (record_.need.empty()) record_.need = need;
    }
  }

  JsonReader json_;
  std::string_view path_;
  CondaRecord record_;
  int names_ = 0, versions_ = 0, files_ = 0, depends_ = 0;
};

}  // namespace

Distribution parse_conda_name(std::string_view file) {
  constexpr std::string_view kEnd = ".json";
  if (!text::ends(file, kEnd)) return {};
  std::string_view name = text::first(file, file.size() - kEnd.size());
  const std::string_view build = take_last(&name);
  const std::string_view version = take_last(&name);
  if (build.empty() || version.empty() || name.empty()) return {};
  return {name, version};
}

CondaRecord read_conda_record(std::string_view text, std::string_view path) {
  return Reading(text, path).read();
}

}  // namespace anycuda
