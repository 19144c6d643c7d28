// SPDX-License-Identifier: Apache-2.0
#include "compat/search/toolkit/toolkit_version.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "compat/base/lexical_path.h"
#include "compat/base/shortage.h"
#include "compat/base/text.h"
#include "compat/base/uncancelled.h"
#include "compat/search/toolkit/toolkit_text.h"

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
  if (decision.version.known()) {
    answer.source = describe_source(facts, decision, arena);
    answer.file = file_of(facts, decision);
  } else {
    answer.problem = describe_unknown(facts, decision, arena);
  }
  return answer;
}

int number_at(std::string_view text) {
  int number = 0;
  while (!text.empty() && text::is_digit(text.front()) && number < 1000) {
    number = number * 10 + text.front() - '0';
    text.remove_prefix(1);
  }
  return number;
}

// 0 where no number follows `mark`: "-cu" is in nvidia-cusparse-cu12 twice.
int number_behind(std::string_view text, std::string_view mark) {
  for (std::size_t at; (at = text::find(text, mark)) < text.size();) {
    text = text::without(text, at + mark.size());
    if (const int number = number_at(text)) return number;
  }
  return 0;
}

// NVIDIA's wheels of one major have it in their names up to 12 (nvidia-cusparse-cu12), and from 13
// on in their folders (nvidia/cu13/lib). The versions of the maths libraries are their own.
int major_of_wheel(const ToolkitFacts& facts, std::string_view path) {
  const Owners& owners = facts.owners;
  if (owners.manager != Manager::wheel || owners.count != 1) return 0;
  const std::string_view name = owners.found[0]->named.name;
  for (const std::string_view mark : {"-cu", "_cu", ".cu"}) {
    if (const int major = number_behind(name, mark)) return major;
  }
  return number_behind(path, "/nvidia/cu");
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
  const LexicalPath kept(path);
  gather_toolkit_facts(kept.c_str(), S_ISDIR(status.st_mode), arena, sites, facts);
  ToolkitVersion answer = decide(*facts, arena);
  if (!answer.version.known()) answer.major = major_of_wheel(*facts, kept.text());
  return answer;
}

}  // namespace anycuda
