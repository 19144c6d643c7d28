// SPDX-License-Identifier: Apache-2.0

// Whether a RECORD lists a file. Input: lines; the file, the folder of the packages, the RECORD.
#include "compat/metadata/records/wheel_record.h"

#include <cstdint>
#include <string>

#include "compat/base/lexical_path.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/lines.h"

namespace {

using anycuda::record_lists;
using anycuda::fuzz::must;

anycuda::Arena arena;

void check_path(const std::string& path) {
  const anycuda::LexicalPath kept(&arena, path);
  if (!kept.usable()) return;
  const std::string text(kept.text());
  must(text[0] == '/' && (text.size() == 1 || text.back() != '/'), "a path begins with a slash");
  must(("/" + text + "/").find("/../") == std::string::npos &&
           ("/" + text + "/").find("/./") == std::string::npos,
       "a path has no dots");
  must(anycuda::LexicalPath(&arena, text).text() == text, "a path that is plain stays as it is");
  must(std::string(kept.c_str()).size() <= text.size(), "a path is a C string");
}

// A record of one row.
void check_own_row(const std::string& path, const std::string& site) {
  const anycuda::LexicalPath kept(&arena, path);
  if (path.find_first_of(",\"\r") != std::string::npos || path[0] != '/' || !kept.usable() ||
      kept.text() == "/") {
    return;
  }
  must(record_lists(&arena, path + ",sha256=x,1\n", site, path), "a path's own row lists it");
  must(record_lists(&arena, "\"" + path + "\",,", site, path), "in quotes too");
  must(!record_lists(&arena, "\"x\"\"\n" + path + ",,\n\",,", site, path),
       "a line within quotes is not a row");
  const std::string below(std::string(kept.text()) + "/x");
  if (anycuda::LexicalPath(&arena, below).usable()) {
    must(record_lists(&arena, below + ",,", site, path, true), "a folder has what is in it");
    must(!record_lists(&arena, below + ",,", site, path, false), "and is not it");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  anycuda::fuzz::Lines lines(data, size);
  const std::string path = "/" + lines.next();
  const std::string site = "/" + lines.next();
  const std::string record = lines.rest();
  check_path(path);
  check_own_row(path, site);
  for (const bool is_folder : {false, true}) {
    const bool listed = record_lists(&arena, record, site, path, is_folder);
    // A row in quotes has the record read by another way.
    if (record.find('"') == std::string::npos) {
      must(record_lists(&arena, record + "\n\"\",,\n", site, path, is_folder) == listed,
           "both ways to read a record see the same");
    }
    must(!listed || record_lists(&arena, "other,,\n" + record, site, path, is_folder),
         "a row more does not take one away");
  }
  return 0;
}
