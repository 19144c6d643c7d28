// SPDX-License-Identifier: Apache-2.0
#include "compat/metadata/toolkit_version.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "compat/base/lexical_path.h"
#include "compat/base/shortage.h"
#include "compat/base/text.h"
#include "compat/base/uncancelled.h"
#include "compat/metadata/toolkit_text.h"

namespace anycuda {
namespace {

const char* file_of(const ToolkitFacts& facts, const ToolkitDecision& decision) {
  if (decision.header >= 0) return facts.headers.found[decision.header].path;
  const OwnerMetadata& metadata = facts.owner_metadata[decision.owner];
  return decision.authority == Authority::pin ? metadata.pin_metadata : metadata.metadata;
}

ToolkitVersion decide(const ToolkitFacts& facts, Arena* arena) {
  const ToolkitDecision decision = decide_toolkit(facts.owner_facts, facts.owners.count,
                                                  facts.header_facts, facts.headers.count);
  ToolkitVersion answer;
  answer.version = decision.version;
  answer.package = describe_owner(facts, arena);
  if (decision.version.known()) {
    answer.source = describe_source(facts, decision, arena);
    answer.file = file_of(facts, decision);
  } else {
    answer.problem = describe_unknown(facts, decision, arena);
  }
  return answer;
}

ToolkitVersion unknown(const char* problem) {
  ToolkitVersion answer;
  answer.problem = problem != nullptr ? problem : "out of memory";
  return answer;
}

}  // namespace

ToolkitVersion toolkit_version_of(const char* path, Arena* arena, Sites* sites) {
  const Uncancelled uncancelled;
  if (path == nullptr || *path != '/') return unknown("not a full path: it must begin with /");
  struct stat status;
  if (noted(stat(path, &status)) != 0) {
    return unknown(arena->format("it cannot be examined (%s)", std::strerror(errno)));
  }
  auto* facts = static_cast<ToolkitFacts*>(arena->take(sizeof(ToolkitFacts)));
  if (facts == nullptr) return unknown(nullptr);
  const LexicalPath kept(arena, path);
  gather_toolkit_facts(kept.c_str(), S_ISDIR(status.st_mode), arena, sites, facts);
  return decide(*facts, arena);
}

}  // namespace anycuda
