// SPDX-License-Identifier: Apache-2.0
#include "compat/library/guard_rails_impl.h"

#include <algorithm>
#include <utility>

#include "compat/base/lexical_path.h"
#include "compat/library/guard_rails_log.h"

namespace anycuda::compat {

GuardRailsImpl::GuardRailsImpl(const Options& options, Policy policy, System system)
    : policy_(std::move(policy)), system_(std::move(system)) {
  for (const Pipeline& pipeline : options.pipelines) declare(pipeline);
}

// Metadata is read only if a rule compares it.
ComponentInstance GuardRailsImpl::instance_of(const Component& component, const Located& located) {
  ComponentInstance instance;
  instance.component = &component;
  instance.path = located.path;
  instance.where = located.where;
  if (component.kind == Kind::dynamic_library) {
    instance.soname_major = major_of_soname(located.file);
    if (located.where != Found::loaded) instance.file = system_.identity_of(located.path);
  }
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
  bool loaded = false;
  std::string name = located.path;  // what the dynamic linker opens it by
};

// Of the library that load() would take; "" for none.
std::string GuardRailsImpl::path_of(const Component& library) const {
  const std::vector<LoadedImage> images = system_.loaded(library);
  if (!images.empty()) return images.front().path;
  try {
    return system_.find(library).path;
  } catch (const NotFoundError&) {
    return "";
  }
}

// Headers and the like are of the library's toolkit.
std::optional<ComponentRoot> GuardRailsImpl::root_of_library(const Component& component) const {
  if (component.kind == Kind::dynamic_library) return std::nullopt;
  const Component* const library = find_component(Kind::dynamic_library, component.name);
  if (library == nullptr || library->packaging == Packaging::driver) return std::nullopt;
  return root_of(*library, path_of(*library));
}

// LD_LIBRARY_PATH and /etc/ld.so.cache name folders of libraries, and the runtime leads from there
// to the rest of its toolkit: libNVVM, programs. Not to a root in which the tiers have looked.
std::optional<ComponentRoot> GuardRailsImpl::root_of_runtime(const Component& component,
                                                             const NotFoundError& error) const {
  const Component& runtime = component_named(Kind::dynamic_library, "cudart");
  if (component.packaging != Packaging::toolkit || &component == &runtime) return std::nullopt;
  const std::string path = path_of(runtime);
  std::optional<ComponentRoot> root = root_of(runtime, path);
  if (!root) return std::nullopt;
  const std::string below = root->path + "/";
  const bool known =
      std::any_of(error.searched().begin(), error.searched().end(), [&](const std::string& folder) {
        return folder.compare(0, below.size(), below) == 0 && folder != folder_of(path);
      });
  return known ? std::nullopt : root;
}

// The roots of accepted companions, in the order of their acceptance. Components of the driver
// belong to no toolkit.
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

// The first candidate that is taken: in the roots of companions, then in the order of the search
// tiers. All of those are looked for only when the first one is refused. A driver that does not
// answer ends the search: no candidate can help that.
GuardRailsImpl::Candidate GuardRailsImpl::choose_file(const Component& component,
                                                      const Take& take) {
  std::vector<Refusal> refused;
  std::set<std::string> passed;
  std::optional<Candidate> chosen;
  std::set<std::string> tried;
  const auto ends_search = [&](const Located& located) {
    if (!tried.insert(located.path).second) return false;
    Candidate candidate{located, instance_of(component, located)};
    std::optional<Refusal> refusal = take(&candidate);
    if (!refusal) {
      chosen = std::move(candidate);
      return true;
    }
    refused.push_back(std::move(*refusal));
    return refused.back().stays_open || !is_of_candidate(refused.back().step);
  };
  const auto one_ends_search = [&](const FoundFiles& files) {
    passed.insert(files.passed.begin(), files.passed.end());
    return std::any_of(files.usable.begin(), files.usable.end(), ends_search);
  };
  std::vector<ComponentRoot> roots = companion_roots(component);
  if (roots.empty()) {
    if (const auto root = root_of_library(component)) roots.push_back(*root);
  }
  const bool ended = std::any_of(roots.begin(), roots.end(), [&](const ComponentRoot& root) {
    return one_ends_search(system_.find_below(root, component));
  });
  if (!ended) {
    try {
      if (!ends_search(system_.find(component))) one_ends_search(system_.find_all(component));
    } catch (const NotFoundError& error) {
      log_not_found(component, error.what());
      const auto root = root_of_runtime(component, error);
      if (root && std::find(roots.begin(), roots.end(), *root) == roots.end()) {
        roots.push_back(*root);
        one_ends_search(system_.find_below(*root, component));
      }
      // The refusal of a candidate in a companion's root says more.
      if (refused.empty() && !chosen) throw also_searched(error, roots);
    }
  }
  if (chosen) return std::move(*chosen);
  // The rules accept the one that does not open: the user can repair its error.
  if (refused.back().step == Step::not_opened) {
    std::rotate(refused.begin(), refused.end() - 1, refused.end());
  }
  refuse(refused, passed, false);
}

// A library that the process has loaded is preferred to every file: a second copy would be worse
// than any version. So if it is refused, no other candidate is looked for.
GuardRailsImpl::Candidate GuardRailsImpl::choose(const Component& component, const Take& take) {
  const std::vector<LoadedImage> images = component.kind == Kind::dynamic_library
                                              ? system_.loaded(component)
                                              : std::vector<LoadedImage>();
  if (images.empty()) return choose_file(component, take);
  const LoadedImage& image = images.front();
  const Located located = {image.path, image.soname, Found::loaded};
  Candidate candidate{located, instance_of(component, located), true, image.name};
  if (is_runtime(component)) candidate.instance.runtimes = images;
  if (auto refusal = take(&candidate)) refuse({*refusal}, {}, true);
  return candidate;
}

Located GuardRailsImpl::locate(Kind kind, std::string_view name) {
  const Component& component = component_named(kind, name);
  DriverKnown driver;
  return choose(component,
                [&](Candidate* one) { return evaluate(one->instance, &driver, one->loaded, true); })
      .located;
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

void GuardRailsImpl::forget(const ComponentInstance& instance) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ComponentInstance>& known = known_.instances;
  known.erase(std::remove_if(known.begin(), known.end(),
                             [&](const ComponentInstance& one) {
                               return one.component == instance.component &&
                                      one.path == instance.path;
                             }),
              known.end());
}

// Marks a library as opened here before it is opened, since its constructors may ask; removes the
// mark if opening it fails.
class GuardRailsImpl::OpenedHere {
 public:
  OpenedHere(GuardRailsImpl* rails, const std::string& name) : rails_(rails) {
    const std::lock_guard<std::mutex> lock(rails->mutex_);
    entry_ = rails->opened_.insert(name);
  }
  ~OpenedHere() {
    if (kept_) return;
    const std::lock_guard<std::mutex> lock(rails_->mutex_);
    rails_->opened_.erase(entry_);
  }
  OpenedHere(const OpenedHere&) = delete;
  OpenedHere& operator=(const OpenedHere&) = delete;
  void keep() { kept_ = true; }

 private:
  GuardRailsImpl* rails_;
  std::multiset<std::string>::iterator entry_;
  bool kept_ = false;
};

std::optional<Refusal> GuardRailsImpl::open(Candidate* candidate, DriverKnown* driver,
                                            LoadedLibrary* library) {
  ComponentInstance& instance = candidate->instance;
  const std::string& name = candidate->name;
  std::optional<OpenedHere> here;
  if (!candidate->loaded || opened_here(name)) here.emplace(this, name);
  // A loaded library has its dependencies already.
  if (!candidate->loaded) {
    for (const std::string_view needed : instance.component->needs) {
      system_.open_needed(std::string(needed));
    }
  }
  log_opening(*instance.component, name);
  std::optional<Refusal> refusal;
  const OpenedLibrary opened =
      system_.open(instance, name, candidate->loaded, [&](Version reported) {
        forget(instance);
        instance.version = reported;
        instance.source = kOwnVersionFunction;
        refusal = evaluate(instance, driver, candidate->loaded, false);
        return !refusal;
      });
  if (opened.handle != nullptr) {
    if (here) here->keep();
    *library = {opened.handle, instance.path, !here};
    return std::nullopt;
  }
  if (!opened.cause.empty()) {
    log_not_opened(*instance.component, name, opened.cause);
    return refusal_unopened(instance, opened.cause);
  }
  if (!refusal) {
    forget(instance);
    refusal = refusal_of_mismatch(instance, opened.mismatch);
    log_refused(*instance.component, *refusal);
  }
  return opened.stays_open ? staying(std::move(*refusal)) : std::move(*refusal);
}

LoadedLibrary GuardRailsImpl::load(std::string_view name) {
  const Component& component = component_named(Kind::dynamic_library, name);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto before = libraries_.find(&component);
    if (before != libraries_.end()) return before->second;
  }
  DriverKnown driver;
  LoadedLibrary library;
  Candidate chosen = choose(component, [&](Candidate* one) {
    std::optional<Refusal> refusal = evaluate(one->instance, &driver, one->loaded, false);
    return refusal ? std::move(refusal) : open(one, &driver, &library);
  });
  // While it was being opened, other threads and its own constructors may have had components
  // accepted, and other code may have loaded a runtime.
  ComponentInstance& instance = chosen.instance;
  if (is_runtime(component)) instance.runtimes = system_.loaded(component);
  if (auto refusal = evaluate(instance, &driver, true, true)) {
    // A library that was loaded by other code is left to that code.
    if (chosen.loaded) system_.close(library.handle);
    refuse({*refusal}, {}, true);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  return libraries_.emplace(&component, library).first->second;
}

}  // namespace anycuda::compat
