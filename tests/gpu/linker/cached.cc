// SPDX-License-Identifier: Apache-2.0

// Links with a cache, by each backend: the code of a hit runs.
#include <cstdlib>
#include <filesystem>

#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {
namespace {

void link_twice(Check& check, const Way& way, const std::string& arch, CodeCache* cache) {
  Options options = options_for(way);
  options.arch = arch;
  const std::string how = std::string(way.name) + (arch.empty() ? ", no arch" : "");
  for (const bool again : {false, true}) {
    const CacheCounts before = cache->counts();
    Linker linker(both(InputType::ptx), options);
    runs(check, linker.link(*cache));
    const CacheCounts now = cache->counts();
    if (again && now.hits != before.hits + 1) check.fail(how + ": no hit, " + cache->problem());
    if (now.hits + now.stored == before.hits + before.stored) {
      check.fail(how + ": not stored, " + cache->problem());
    }
  }
}

}  // namespace

void cached() {
  Check check("links with a cache: the code of a hit runs");
  use_device();
  std::string folder = (std::filesystem::temp_directory_path() / "linker-cache-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return check.fail("no temporary folder");
  try {
    CodeCache cache(folder);
    for (const Way& way : ways()) {
      link_twice(check, way, device_arch(), &cache);
      link_twice(check, way, "", &cache);
    }
    check.detail(show(cache.counts().hits) + " hits, " + show(cache.counts().stored) + " stored");
  } catch (const Error& error) {
    check.fail(error.what());
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace gputest
