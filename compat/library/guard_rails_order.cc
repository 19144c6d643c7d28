#include "compat/library/guard_rails_order.h"

#include <algorithm>

namespace anycuda::compat {
namespace {

Judgement only(Step step) {
  Judgement judgement;
  judgement.step = step;
  return judgement;
}

// What a process has loaded is a runtime of its SONAME's major, whatever is known of its toolkit.
Version runtime_version(const Item& item) {
  return item.soname_major != 0 ? Version{item.soname_major, -1} : item.version;
}

bool two_runtimes(const Item& a, const Item& b) {
  if (!is_runtime(*a.piece) || !is_runtime(*b.piece)) return false;
  ItemPair pair;
  pair.first = runtime_version(a);
  pair.second = runtime_version(b);
  pair.both_runtimes = pair.first.known() && pair.second.known();
  return pair.both_runtimes && judge_items(pair) == ItemVerdict::two_runtimes;
}

bool allowed(const Policy& policy, const Item& a, const Item& b) {
  return std::any_of(policy.mixed_majors.begin(), policy.mixed_majors.end(), [&](const auto& pair) {
    return (pair.first == a.piece->name && pair.second == b.piece->name) ||
           (pair.first == b.piece->name && pair.second == a.piece->name);
  });
}

ItemVerdict judge_pair(const Policy& policy, const Remembered& known, const Item& a,
                       const Item& b) {
  if (two_runtimes(a, b)) return ItemVerdict::two_runtimes;
  if (!a.version.known() || !b.version.known()) return ItemVerdict::compatible;
  ItemPair pair;
  pair.first = a.version;
  pair.second = b.version;
  pair.same_component = companions(a, b);
  pair.only_portable_flows = only_portable_flows(known.pipelines, a, b);
  pair.allowed = allowed(policy, a, b);
  return judge_items(pair);
}

std::optional<Judgement> against_loaded_runtimes(const Finding& finding) {
  for (const LoadedImage& image : finding.runtimes) {
    const Item other{finding.item.piece, image.path, {}, "", major_of_soname(image.soname)};
    if (!two_runtimes(finding.item, other)) continue;
    Judgement judgement = only(Step::runtime_loaded);
    judgement.other = other;
    judgement.item = ItemVerdict::two_runtimes;
    return judgement;
  }
  return std::nullopt;
}

// A broken pipeline says more than that the majors differ, so it comes first.
std::optional<Judgement> against_accepted(const Policy& policy, const Remembered& known,
                                          const Item& item) {
  for (const Item& other : known.items) {
    for (const Pipeline& pipeline : known.pipelines) {
      if (const auto broken = broken_flow(pipeline, item, other)) {
        Judgement judgement = only(Step::flow);
        judgement.flow = *broken;
        return judgement;
      }
    }
    const ItemVerdict verdict = judge_pair(policy, known, item, other);
    if (verdict == ItemVerdict::compatible) continue;
    Judgement judgement = only(Step::item);
    judgement.other = other;
    judgement.item = verdict;
    return judgement;
  }
  return std::nullopt;
}

Judgement by_driver(const Policy& policy, Version toolkit, const DriverKnown& driver) {
  if (!driver.facts) return only(Step::ask_driver);
  DriverFacts facts = *driver.facts;
  if (facts.branch == 0 && needs_branch(facts, toolkit)) {
    if (!driver.branch) return only(Step::ask_branch);
    facts.branch = driver.branch->branch;
  }
  Judgement judgement = only(Step::driver);
  judgement.driver = judge_driver(facts, toolkit, policy.forward_compatibility);
  if (judgement.driver == DriverVerdict::branch_unknown) {
    judgement.step = policy.mode == Mode::strict ? Step::no_branch : Step::accepted;
  } else if (serves(judgement.driver)) {
    judgement.step = Step::accepted;
  }
  return judgement;
}

bool accepted_before(const Remembered& known, const Item& item) {
  return std::any_of(known.items.begin(), known.items.end(),
                     [&](const Item& other) { return same(item, other); });
}

}  // namespace

Judgement judge_piece(const Policy& policy, const Remembered& known, const Finding& finding,
                      const DriverKnown& driver) {
  const Item& item = finding.item;
  const bool lenient = policy.mode != Mode::strict;
  if (accepted_before(known, item)) return only(Step::accepted_before);
  if (policy.mode == Mode::off || item.piece->packaging == Packaging::driver) {
    return only(Step::accepted);
  }
  if (item.piece->packaging == Packaging::other) {
    return only(lenient ? Step::accepted : Step::packaged_elsewhere);
  }
  if (!item.version.known() && !lenient) return only(Step::no_metadata);
  if (item.version.known() && policy.constraint && !policy.constraint->allows(item.version)) {
    return only(Step::constraint);
  }
  if (auto refusal = against_loaded_runtimes(finding)) return *refusal;
  if (auto refusal = against_accepted(policy, known, item)) return *refusal;
  // Without a version there is nothing to compare the driver with.
  return item.version.known() ? by_driver(policy, item.version, driver) : only(Step::accepted);
}

std::optional<BrokenFlow> judge_pipeline(const Policy& policy, const Remembered& known,
                                         const Pipeline& pipeline) {
  if (policy.mode == Mode::off) return std::nullopt;
  for (std::size_t i = 0; i < known.items.size(); ++i) {
    for (std::size_t j = i + 1; j < known.items.size(); ++j) {
      if (auto broken = broken_flow(pipeline, known.items[i], known.items[j])) return broken;
    }
  }
  return std::nullopt;
}

}  // namespace anycuda::compat
