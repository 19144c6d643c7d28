// The order in which a piece is checked, as one pure function of what is known. Nothing is looked
// up here: what must be asked for first is an answer too.
#pragma once

#include <optional>
#include <vector>

#include "anycuda/compat/driver_query.h"
#include "compat/library/guard_rails_pipelines.h"
#include "compat/library/guard_rails_policy.h"

namespace anycuda::compat {

// What an instance remembers.
struct Remembered {
  std::vector<Item> items;  // in the order in which they were accepted
  std::vector<Pipeline> pipelines;
};

// What has been asked so far.
struct DriverKnown {
  std::optional<DriverFacts> facts;
  std::optional<BranchAnswer> branch;
};

enum class Step : std::uint8_t {
  accepted,         // and to be remembered
  accepted_before,  // the same piece again: nothing changes
  ask_driver,       // the driver rule is what is left: its CUDA version must be known
  ask_branch,       // the same, its branch
  // Refusals, in the order of the checks.
  packaged_elsewhere,
  no_metadata,
  constraint,
  runtime_loaded,  // cudart: the process has loaded one of another major
  flow,            // a declared pipeline to an accepted piece cannot work
  item,            // does not go with an accepted piece
  driver,
  no_branch
};

struct Judgement {
  Step step = Step::accepted;
  Item other;       // runtime_loaded, item: what it does not go with
  BrokenFlow flow;  // flow
  ItemVerdict item = ItemVerdict::compatible;
  DriverVerdict driver = DriverVerdict::served;
};

Judgement judge_piece(const Policy& policy, const Remembered& known, const Finding& finding,
                      const DriverKnown& driver);

// May the pipeline join what was accepted? Nothing: yes.
std::optional<BrokenFlow> judge_pipeline(const Policy& policy, const Remembered& known,
                                         const Pipeline& pipeline);

}  // namespace anycuda::compat
