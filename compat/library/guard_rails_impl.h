// SPDX-License-Identifier: Apache-2.0

// The guard rails on a System, which tests replace.
//
// One lock guards the state. It is never held during a search, a query, or while a file is read or
// opened, since a library's constructor may call the guard rails: so a component is found and its
// facts are gathered first, then evaluated and remembered. Where the decision needs a fact
// about the driver, that is queried without the lock, and everything is evaluated again.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "compat/library/decision.h"
#include "compat/library/guard_rails_messages.h"
#include "compat/library/system.h"

namespace anycuda::compat {

class GuardRailsImpl {
 public:
  GuardRailsImpl(const Options& options, Policy policy, System system);

  Located locate(Kind kind, std::string_view name);
  LoadedLibrary load(std::string_view name);
  void declare(const Pipeline& pipeline);
  void clear() { system_.forget(); }
  Mode mode() const { return policy_.mode; }

 private:
  class OpenedHere;
  struct Candidate;  // of a component: a place, and its known facts
  // Nothing: the candidate is taken.
  using Take = std::function<std::optional<Refusal>(Candidate*)>;

  ComponentInstance instance_of(const Component& component, const Located& located);
  std::string path_of(const Component& library) const;
  std::optional<ComponentRoot> root_of_library(const Component& component) const;
  std::optional<ComponentRoot> root_of_runtime(const Component& component,
                                               const NotFoundError& error) const;
  std::vector<ComponentRoot> companion_roots(const Component& component);
  Candidate choose(const Component& component, const Take& take);
  Candidate choose_file(const Component& component, const Take& take);
  std::optional<Refusal> open(Candidate* candidate, DriverKnown* driver, LoadedLibrary* library);
  // Nothing: the instance is accepted. `remember`: else it is only evaluated.
  std::optional<Refusal> evaluate(const ComponentInstance& instance, DriverKnown* driver,
                                  bool loaded, bool remember);
  Decision decide_once(const ComponentInstance& instance, const DriverKnown& driver, bool remember);
  void query_driver(const ComponentInstance& instance, DriverKnown* driver, bool loaded);
  bool opened_here(const std::string& path);
  // The library reports another version than the accepted one.
  void forget(const ComponentInstance& instance);

  const Policy policy_;
  const System system_;

  std::mutex mutex_;
  Remembered known_;
  std::map<const Component*, LoadedLibrary> libraries_;
  std::multiset<std::string> opened_;  // what this instance has opened, or is about to
};

}  // namespace anycuda::compat
