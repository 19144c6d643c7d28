// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/records/version_file.h"

#include "compat/metadata/records/json.h"
#include "compat/metadata/records/plain_version.h"

namespace anycuda {

Version version_in_version_file(std::string_view text) {
  JsonReader json(text);
  JsonString name;
  JsonString version;
  int found = 0;
  if (!json.enter_object()) return {};
  while (json.next_member(&name)) {
    if (!name.is("cuda") || !json.enter_object()) {
      json.skip();
      continue;
    }
    while (json.next_member(&name)) {
      if (!name.is("version") || !json.take_string(&version)) {
        json.skip();
      } else {
        ++found;
      }
    }
  }
  return json.finished() && found == 1 ? major_minor(version.written) : Version{};
}

}  // namespace anycuda
