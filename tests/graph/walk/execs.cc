// SPDX-License-Identifier: Apache-2.0

// Executable graphs: made, launched, updated as a whole and node by node, destroyed.
#include <algorithm>

#include "api/cuda_api.h"
#include "tests/graph/walk/parameters.h"

namespace walk {

Launchable* Walker::launchable() { return execs_.empty() ? nullptr : pick(execs_).get(); }

void Walker::take_base(Launchable* one, const ModelGraph& graph) {
  one->base = graph.used();
  one->by_function.clear();
  one->replaced.clear();
  one->spare = graph.unused();
  for (Launchable::Node& node : one->nodes) node.set.clear();
}

bool Walker::instantiate() {
  const Held* const from = held();
  if (from == nullptr || execs_.size() >= 6) return false;
  auto made = std::make_unique<Launchable>();
  if (Exec::instantiate(from->view, &made->exec) != CUDA_SUCCESS) return false;
  made->serial = ++next_exec_;
  made->source = from->serial;
  made->calls_host = from->model->has(Kind::host);
  take_base(made.get(), *from->model);
  for (const auto& node : from->model->nodes) {
    made->nodes.push_back({node->serial, node->handle, node->kind, {}, {}, false});
    if (node->kind == Kind::child) made->nodes.back().inner = node->inner.front()->used();
  }
  execs_.push_back(std::move(made));
  return true;
}

bool Walker::in_flight(const Launchable& one) const {
  return std::any_of(launches_.begin(), launches_.end(),
                     [&one](const Launch& launch) { return launch.exec == one.serial; });
}

void Walker::record_launch(Launchable* one, unsigned stream) {
  if (!in_flight(*one)) one->replaced.clear();
  Launch launch;
  launch.exec = one->serial;
  launch.stream = stream;
  launch.used = one->base;
  for (Launchable::Node& node : one->nodes) {
    append(&launch.used, node.set);
    node.launched = true;
  }
  launch.unused = one->spare;
  append(&launch.unused, one->replaced);
  launches_.push_back(std::move(launch));
}

bool Walker::launch() {
  Launchable* const one = launchable();
  if (one == nullptr || launches_.size() > 8) return false;
  const auto stream = static_cast<unsigned>(any(3));
  if (chance(4)) must(one->exec.upload(streams_[stream]), "Exec::upload");
  must(one->exec.launch(streams_[stream]), "Exec::launch");
  record_launch(one, stream);
  return true;
}

bool Walker::wait() {
  if (launches_.empty()) return false;
  wait_for(static_cast<unsigned>(any(3)));
  return true;
}

Held* Walker::source_of(const Launchable& one) {
  for (const auto& held : held_) {
    if (held->serial == one.source) return held.get();
  }
  return nullptr;
}

// Mostly from the graph that it was made of, as it is now: others seldom have the same nodes.
Held* Walker::updates(const Launchable& one) {
  Held* const source = source_of(one);
  return source != nullptr && !chance(4) ? source : held();
}

bool Walker::update() {
  Launchable* const one = launchable();
  Held* const from = one == nullptr ? nullptr : updates(*one);
  if (from == nullptr) return false;
  CUgraphNode node = nullptr;
  int why = 0;
  if (one->exec.update(from->view, &node, &why) != CUDA_SUCCESS) return false;
  // A launch that is running still has the former.
  take_base(one, *from->model);
  one->keyed = false;
  one->raw_updated = false;
  return true;
}

Launchable::Node* Walker::settable(Launchable* one, Kind kind) {
  // Launches would not hold what is set after a raw update: docs/graph.md.
  if (one->raw_updated) return nullptr;
  const Held* const source = source_of(*one);
  if (source == nullptr) return nullptr;
  std::vector<Launchable::Node*> all;
  for (Launchable::Node& node : one->nodes) {
    if (node.kind == kind && source->model->find(node.serial) != nullptr) all.push_back(&node);
  }
  return all.empty() ? nullptr : pick(all);
}

// Owners of single nodes are in one list of the executable graph, which its launches hold, too.
void Walker::keep_in(const Launchable& one, const Tokens& owners) {
  for (Launch& launch : launches_) {
    if (launch.exec == one.serial) append(&launch.unused, owners);
  }
}

// What the node had before goes at once where nothing was launched since it was set.
void Walker::set_in(Launchable* one, Launchable::Node* node, const Tokens& owners) {
  if (!in_flight(*one)) one->replaced.clear();
  if (one->handed) {
    append(&one->spare, node->set);
  } else if (node->launched) {
    append(&one->replaced, node->set);
  }
  node->set = owners;
  node->launched = false;
  keep_in(*one, owners);
}

bool Walker::update_one() {
  Launchable* const one = launchable();
  if (one == nullptr) return false;
  const Kind kind = settable_kind();
  Launchable::Node* const node = settable(one, kind);
  if (node == nullptr) return false;
  for (std::size_t times = 1 + any(3); times != 0; --times) {
    Parameters parameters;
    fill(kind, &parameters);
    must(parameters.set(&one->exec, node->handle), "Exec::set");
    Tokens owners;
    append(&owners, parameters.owners);
    set_in(one, node, owners);
  }
  return true;
}

bool Walker::update_child() {
  Launchable* const one = launchable();
  if (one == nullptr) return false;
  Launchable::Node* const node = settable(one, Kind::child);
  if (node == nullptr) return false;
  Place from = place();
  if (!chance(4)) {  // the child as it is now in the graph
    Held* const source = source_of(*one);
    const ModelNode& now = *source->model->find(node->serial);
    from = {source, now.inner.front().get(), view_of(source->view, now, 0), false, true};
  }
  if (from.root == nullptr || from.body) return false;
  // One of another shape is refused.
  if (one->exec.set_child(node->handle, from.view) != CUDA_SUCCESS) return false;
  // The driver releases the owners that only the former child had.
  const Tokens former = one->keyed ? node->inner : one->base;
  for (const Token& token : former) {
    const auto found = std::find(one->base.begin(), one->base.end(), token);
    if (found != one->base.end()) one->base.erase(found);
  }
  append(&one->spare, former);
  append(&one->spare, from.model->unused());
  node->inner.clear();
  set_in(one, node, from.model->used());
  return true;
}

bool Walker::update_by_function() {
  Launchable* const one = launchable();
  if (one == nullptr || one->raw_updated) return false;
  const Token kept = token();
  const auto set = [](CUgraphExec) { return CUDA_SUCCESS; };
  must(one->exec.set_with_owners({owner(kept), nullptr, nullptr, nullptr}, set),
       "Exec::set_with_owners");
  one->base.push_back(kept);  // of no node that the library could know
  one->by_function.push_back(kept);
  one->handed = true;
  keep_in(*one, {kept});
  return true;
}

bool Walker::enable() {
  Launchable* const one = launchable();
  if (one == nullptr) return false;
  const Launchable::Node* const node = settable(one, Kind::kernel);
  if (node == nullptr) return false;
  const bool wanted = chance(2);
  bool is = !wanted;
  must(one->exec.set_enabled(node->handle, wanted), "Exec::set_enabled");
  must(one->exec.enabled(node->handle, &is), "Exec::enabled");
  expect(is == wanted, "Exec::enabled says otherwise than Exec::set_enabled");
  return true;
}

bool Walker::destroy_exec() {
  if (execs_.empty()) return false;
  const std::size_t at = any(execs_.size());
  // With host nodes it stays until its launches have ended, and so does all that it holds.
  const Launchable& one = *execs_[at];
  if (one.calls_host) {
    for (const Tokens* held : {&one.base, &one.spare, &one.replaced}) keep_in(one, *held);
    for (const Launchable::Node& node : one.nodes) keep_in(one, node.set);
  }
  if (chance(2)) must(execs_[at]->exec.destroy(), "Exec::destroy");
  execs_.erase(execs_.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

}  // namespace walk
