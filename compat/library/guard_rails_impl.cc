#include "compat/library/guard_rails_impl.h"

#include <algorithm>
#include <utility>

#include "compat/library/guard_rails_log.h"

namespace anycuda::compat {

GuardRailsImpl::GuardRailsImpl(const Options& options, Policy policy, System system)
    : policy_(std::move(policy)), system_(std::move(system)) {
  for (const Pipeline& pipeline : options.pipelines) declare(pipeline);
}

// Metadata is read only for what a rule compares.
ComponentInstance GuardRailsImpl::instance_of(const Component& component, const Located& located) {
  ComponentInstance instance;
  instance.component = &component;
  instance.path = located.path;
  instance.where = located.where;
  if (component.kind == Kind::dynamic_library)
    instance.soname_major = major_of_soname(located.file);
  if (policy_.mode != Mode::off && component.packaging == Packaging::toolkit) {
    const ToolkitAnswer answer = system_.version_of(component, located.path);
    instance.version = answer.version;
    instance.source = answer.source == "cuda.h" ? "CUDA_VERSION in " + answer.file : answer.source;
    instance.problem = answer.problem;
  }
  log_candidate(instance);
  return instance;
}

Decision GuardRailsImpl::decide_once(const ComponentInstance& instance, const DriverKnown& driver,
                                     bool remember) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Decision decision = decide(policy_, known_, instance, driver);
  if (decision.step == Step::accepted && remember) known_.instances.push_back(instance);
  return decision;
}

void GuardRailsImpl::query_driver(const ComponentInstance& instance, DriverKnown* driver,
                                  bool loaded) {
  if (policy_.driver) {
    driver->facts = policy_.driver;
    return;
  }
  try {
    driver->facts = DriverFacts{true, system_.driver_cuda(), 0};
  } catch (const DriverQueryError& error) {
    log_no_driver(*instance.component, error.what());
    refuse_without_driver(instance, error.what(), loaded);
  }
}

std::optional<Refusal> GuardRailsImpl::evaluate(const ComponentInstance& instance,
                                                DriverKnown* driver, bool loaded, bool remember) {
  for (;;) {
    const Decision decision = decide_once(instance, *driver, remember);
    switch (decision.step) {
      case Step::accepted:
        if (remember) log_used(instance);
        return std::nullopt;
      case Step::accepted_before:
        return std::nullopt;
      case Step::needs_driver:
        query_driver(instance, driver, loaded);
        break;
      case Step::needs_branch:
        driver->branch = system_.driver_branch();
        break;
      default:
        Refusal refusal = refusal_of(policy_, instance, *driver, decision);
        log_refused(*instance.component, refusal);
        return refusal;
    }
  }
}

struct GuardRailsImpl::Candidate {
  Located located;
  ComponentInstance instance;
};

struct GuardRailsImpl::LoadPlan {
  Located located;
  ComponentInstance instance;
  std::string name;  // what the dynamic linker opens it by
  bool loaded = false;
  bool by_others = false;
};

// The roots of accepted companions, in the order of their acceptance. What comes with the driver
// has no toolkit about it.
std::vector<ComponentRoot> GuardRailsImpl::companion_roots(const Component& component) {
  const auto with_driver = [](const Component& one) { return one.packaging == Packaging::driver; };
  std::vector<ComponentRoot> roots;
  if (with_driver(component)) return roots;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const ComponentInstance& accepted : known_.instances) {
    if (with_driver(*accepted.component) || !same_group(component, *accepted.component)) continue;
    const auto root = root_of(*accepted.component, accepted.path);
    if (root && std::find(roots.begin(), roots.end(), *root) == roots.end()) {
      roots.push_back(*root);
    }
  }
  return roots;
}

// The first candidate that the rules accept: in the roots of companions, then in the order of the
// search tiers. All of those are looked for only when the first one is refused. A driver that does
// not answer ends the search: no candidate can help that.
GuardRailsImpl::Candidate GuardRailsImpl::choose(const Component& component, DriverKnown* driver,
                                                 bool remember) {
  std::vector<Refusal> refused;
  std::optional<Candidate> chosen;
  std::set<std::string> tried;
  const auto ends_search = [&](const Located& located) {
    if (!tried.insert(located.path).second) return false;
    Candidate candidate{located, instance_of(component, located)};
    std::optional<Refusal> refusal = evaluate(candidate.instance, driver, false, remember);
    if (!refusal) {
      chosen = std::move(candidate);
      return true;
    }
    refused.push_back(std::move(*refusal));
    return !is_of_candidate(refused.back().step);
  };
  const auto one_ends_search = [&](const std::vector<Located>& list) {
    return std::any_of(list.begin(), list.end(), ends_search);
  };
  const std::vector<ComponentRoot> roots = companion_roots(component);
  const bool ended = std::any_of(roots.begin(), roots.end(), [&](const ComponentRoot& root) {
    return one_ends_search(system_.find_below(root, component));
  });
  if (!ended) {
    try {
      if (!ends_search(system_.find(component))) one_ends_search(system_.find_all(component));
    } catch (const NotFoundError& error) {
      log_not_found(component, error.what());
      // What was refused in a companion's root says more.
      if (refused.empty()) throw also_searched(error, roots);
    }
  }
  if (!chosen) refuse(refused, false);
  return std::move(*chosen);
}

Located GuardRailsImpl::locate(Kind kind, std::string_view name) {
  const Component& component = component_named(kind, name);
  DriverKnown driver;
  if (kind == Kind::dynamic_library) return plan_load(component, &driver, true).located;
  return choose(component, &driver, true).located;
}

void GuardRailsImpl::declare(const Pipeline& pipeline) {
  const Pipeline known = checked(pipeline);
  std::optional<BrokenFlow> broken;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    broken = evaluate_pipeline(policy_, known_, known);
    if (!broken) known_.pipelines.push_back(known);
  }
  log_pipeline(known, !broken);
  if (broken) refuse_pipeline(*broken);
}

// ---- dynamic libraries: evaluated before they are opened, remembered afterwards

bool GuardRailsImpl::opened_here(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return opened_.count(path) != 0;
}

// What the process has loaded is taken before any file: a second copy would be worse than any
// version. So if that is refused, no other candidate is looked for.
GuardRailsImpl::LoadPlan GuardRailsImpl::plan_load(const Component& component, DriverKnown* driver,
                                                   bool remember) {
  const std::vector<LoadedImage> images = system_.loaded(component);
  LoadPlan plan;
  if (images.empty()) {
    Candidate chosen = choose(component, driver, remember);
    plan.located = std::move(chosen.located);
    plan.instance = std::move(chosen.instance);
    plan.name = plan.located.path;
    return plan;
  }
  const LoadedImage& image = images.front();
  plan.name = image.name;
  plan.loaded = true;
  plan.by_others = !opened_here(plan.name);
  plan.located = {image.path, image.soname, Found::loaded};
  plan.instance = instance_of(component, plan.located);
  if (is_runtime(component)) plan.instance.runtimes = images;
  if (auto refusal = evaluate(plan.instance, driver, true, remember)) refuse({*refusal}, true);
  return plan;
}

LoadedLibrary GuardRailsImpl::open(const LoadPlan& plan) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!plan.by_others) opened_.insert(plan.name);
  }
  // What is loaded has found what it needs.
  if (!plan.loaded) {
    for (const std::string_view name : plan.instance.component->needs) {
      system_.open_needed(std::string(name));
    }
  }
  log_opening(*plan.instance.component, plan.name);
  std::string cause;
  void* handle = system_.open(plan.name, &cause);
  if (handle == nullptr) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto entry = opened_.find(plan.name);
      if (entry != opened_.end() && !plan.by_others) opened_.erase(entry);
    }
    log_not_opened(*plan.instance.component, plan.name, cause);
    refuse_unopened(plan.instance, cause);
  }
  return {handle, plan.instance.path, plan.by_others};
}

LoadedLibrary GuardRailsImpl::load(std::string_view name) {
  const Component& component = component_named(Kind::dynamic_library, name);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = libraries_.find(&component);
    if (before != libraries_.end()) return before->second;
  }
  DriverKnown driver;
  LoadPlan plan = plan_load(component, &driver, false);
  const LoadedLibrary library = open(plan);
  // While it was being opened, other threads and its own constructors may have had components
  // accepted, and other code may have loaded a runtime.
  if (is_runtime(component)) plan.instance.runtimes = system_.loaded(component);
  if (auto refusal = evaluate(plan.instance, &driver, true, true)) refuse({*refusal}, true);
  const std::lock_guard<std::mutex> lock(mutex_);
  return libraries_.emplace(&component, library).first->second;
}

}  // namespace anycuda::compat
