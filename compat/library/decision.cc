// SPDX-License-Identifier: Apache-2.0
#include "compat/library/decision.h"

#include <algorithm>
#include <charconv>

namespace anycuda {

PairVerdict evaluate_pair(const ComponentPair& pair) {
  const bool majors_differ = pair.first.major != pair.second.major;
  if (majors_differ && pair.both_runtimes) return PairVerdict::two_runtimes;
  if (pair.same_group && (majors_differ || pair.first.minor != pair.second.minor)) {
    return majors_differ ? PairVerdict::major_differs : PairVerdict::minor_differs;
  }
  if (majors_differ && !pair.only_portable_flows && !pair.allowed) {
    return PairVerdict::major_differs;
  }
  return PairVerdict::compatible;
}

}  // namespace anycuda

namespace anycuda::compat {
namespace {

// ---- pipelines

// Headers are never the end of a pipeline.
bool is_end(const std::string& name, const ComponentInstance& instance) {
  return instance.component->kind != Kind::headers && instance.component->name == name;
}

bool flows(const Pipeline& pipeline, const ComponentInstance& from, const ComponentInstance& to) {
  return is_end(pipeline.producer, from) && is_end(pipeline.consumer, to);
}

// Either of the two may be the producer. Nothing, if the pipeline joins other components, or a
// version is unknown.
std::optional<BrokenFlow> broken_flow(const Pipeline& pipeline, const ComponentInstance& a,
                                      const ComponentInstance& b) {
  const bool forward = flows(pipeline, a, b);
  if ((!forward && !flows(pipeline, b, a)) || !a.version.known() || !b.version.known()) {
    return std::nullopt;
  }
  const ComponentInstance& producer = forward ? a : b;
  const ComponentInstance& consumer = forward ? b : a;
  const bool with_nvvm = producer.component->name == "nvvm" || consumer.component->name == "nvvm";
  for (const Format format : pipeline.formats) {
    const PipelineVerdict verdict =
        evaluate_flow({format, with_nvvm, producer.version, consumer.version});
    if (verdict != PipelineVerdict::compatible) {
      return BrokenFlow{verdict, format, producer, consumer};
    }
  }
  return std::nullopt;
}

// ---- two components

// The same component of the same place and version?
bool same(const ComponentInstance& a, const ComponentInstance& b) {
  return a.component == b.component && a.path == b.path && a.version.major == b.version.major &&
         a.version.minor == b.version.minor;
}

// The major of a loaded runtime is its SONAME's, even if its toolkit is unknown.
Version runtime_version(const ComponentInstance& instance) {
  return instance.soname_major != 0 ? Version{instance.soname_major, -1} : instance.version;
}

bool two_runtimes(const ComponentInstance& a, const ComponentInstance& b) {
  if (!is_runtime(*a.component) || !is_runtime(*b.component)) return false;
  ComponentPair pair;
  pair.first = runtime_version(a);
  pair.second = runtime_version(b);
  pair.both_runtimes = pair.first.known() && pair.second.known();
  return pair.both_runtimes && evaluate_pair(pair) == PairVerdict::two_runtimes;
}

bool allowed(const Policy& policy, const ComponentInstance& a, const ComponentInstance& b) {
  return std::any_of(policy.mixed_majors.begin(), policy.mixed_majors.end(), [&](const auto& pair) {
    return (pair.first == a.component->name && pair.second == b.component->name) ||
           (pair.first == b.component->name && pair.second == a.component->name);
  });
}

PairVerdict verdict_on(const Policy& policy, const Remembered& known, const ComponentInstance& a,
                       const ComponentInstance& b) {
  if (two_runtimes(a, b)) return PairVerdict::two_runtimes;
  if (!a.version.known() || !b.version.known()) return PairVerdict::compatible;
  ComponentPair pair;
  pair.first = a.version;
  pair.second = b.version;
  pair.same_group = companions(a, b);
  pair.only_portable_flows = only_portable_flows(known.pipelines, a, b);
  pair.allowed = allowed(policy, a, b);
  return evaluate_pair(pair);
}

// ---- the checks

Decision only(Step step) {
  Decision decision;
  decision.step = step;
  return decision;
}

std::optional<Decision> against_loaded_runtimes(const ComponentInstance& instance) {
  for (const LoadedImage& image : instance.runtimes) {
    const ComponentInstance other{
        instance.component, image.path, {}, "", major_of_soname(image.soname)};
    if (!two_runtimes(instance, other)) continue;
    Decision decision = only(Step::runtime_loaded);
    decision.other = other;
    decision.pair = PairVerdict::two_runtimes;
    return decision;
  }
  return std::nullopt;
}

// A broken pipeline explains more than a difference of majors, so it comes first.
std::optional<Decision> against_accepted(const Policy& policy, const Remembered& known,
                                         const ComponentInstance& instance) {
  for (const ComponentInstance& other : known.instances) {
    for (const Pipeline& pipeline : known.pipelines) {
      if (const auto broken = broken_flow(pipeline, instance, other)) {
        Decision decision = only(Step::flow);
        decision.flow = *broken;
        return decision;
      }
    }
    const PairVerdict verdict = verdict_on(policy, known, instance, other);
    if (verdict == PairVerdict::compatible) continue;
    Decision decision = only(Step::pair);
    decision.other = other;
    decision.pair = verdict;
    return decision;
  }
  return std::nullopt;
}

Decision against_driver(const Policy& policy, Version toolkit, const DriverKnown& driver) {
  if (!driver.facts) return only(Step::needs_driver);
  DriverFacts facts = *driver.facts;
  if (facts.branch == 0 && needs_branch(facts, toolkit)) {
    if (!driver.branch) return only(Step::needs_branch);
    facts.branch = driver.branch->branch;
  }
  Decision decision = only(Step::driver);
  decision.driver = evaluate_driver(facts, toolkit, policy.forward_compatibility);
  if (decision.driver == DriverVerdict::branch_unknown) {
    decision.step = policy.mode == Mode::strict ? Step::no_branch : Step::accepted;
  } else if (serves(decision.driver)) {
    decision.step = Step::accepted;
  }
  return decision;
}

}  // namespace

int major_of_soname(std::string_view soname) {
  const std::size_t at = soname.find(".so.");
  if (at == std::string_view::npos) return 0;
  const std::string_view number = soname.substr(at + 4);
  int major = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), major);
  const bool whole = end == number.data() + number.size() || *end == '.';
  return error == std::errc() && whole && major > 0 ? major : 0;
}

bool is_runtime(const Component& component) {
  return component.kind == Kind::dynamic_library && component.name == "cudart";
}

bool companions(const ComponentInstance& a, const ComponentInstance& b) {
  return a.component == b.component || same_group(*a.component, *b.component);
}

bool only_portable_flows(const std::vector<Pipeline>& pipelines, const ComponentInstance& a,
                         const ComponentInstance& b) {
  bool joined = false;
  for (const Pipeline& pipeline : pipelines) {
    if (!flows(pipeline, a, b) && !flows(pipeline, b, a)) continue;
    joined = true;
    if (!std::all_of(pipeline.formats.begin(), pipeline.formats.end(), is_portable)) return false;
  }
  return joined;
}

bool is_of_candidate(Step refusal) {
  return refusal != Step::packaged_elsewhere && refusal != Step::runtime_loaded &&
         refusal != Step::not_opened;
}

Decision decide(const Policy& policy, const Remembered& known, const ComponentInstance& instance,
                const DriverKnown& driver) {
  const bool lenient = policy.mode != Mode::strict;
  const bool versioned = instance.version.known();
  const auto is_same = [&](const ComponentInstance& other) { return same(instance, other); };
  if (std::any_of(known.instances.begin(), known.instances.end(), is_same)) {
    return only(Step::accepted_before);
  }
  if (policy.mode == Mode::off || instance.component->packaging == Packaging::driver) {
    return only(Step::accepted);
  }
  if (instance.component->packaging == Packaging::other) {
    return only(lenient ? Step::accepted : Step::packaged_elsewhere);
  }
  if (!versioned && !lenient) return only(Step::no_metadata);
  if (versioned && policy.constraint && !policy.constraint->allows(instance.version)) {
    return only(Step::constraint);
  }
  if (auto refusal = against_loaded_runtimes(instance)) return *refusal;
  if (auto refusal = against_accepted(policy, known, instance)) return *refusal;
  // The driver rule compares versions.
  return versioned ? against_driver(policy, instance.version, driver) : only(Step::accepted);
}

std::optional<BrokenFlow> evaluate_pipeline(const Policy& policy, const Remembered& known,
                                            const Pipeline& pipeline) {
  if (policy.mode == Mode::off) return std::nullopt;
  for (std::size_t i = 0; i < known.instances.size(); ++i) {
    for (std::size_t j = i + 1; j < known.instances.size(); ++j) {
      if (auto broken = broken_flow(pipeline, known.instances[i], known.instances[j])) {
        return broken;
      }
    }
  }
  return std::nullopt;
}

}  // namespace anycuda::compat
