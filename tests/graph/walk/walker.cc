// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/walk/walker.h"

#include <chrono>
#include <set>
#include <thread>

#include "api/cuda_api.h"

namespace walk {
namespace {

constexpr std::size_t kBytes = 1024;
constexpr auto kPatience = std::chrono::seconds(10);
const char kUnused[] = "";  // the mark of what may be alive

std::string name(const Life& life) {
  return "owner " + std::to_string(life.number) + " (by " + life.operation + ")";
}

void mark(const Tokens& tokens, const char* as) {
  for (const Token& token : tokens) {
    if (token->mark == nullptr || *token->mark == '\0') token->mark = as;
  }
}

}  // namespace

Walker::Walker(const Machine& machine, const Options& options, unsigned thread)
    : machine_(machine),
      options_(options),
      random_(options.seed + thread),
      counts_(Operations::count()) {
  machine.begin_thread();
  for (CUstream& stream : streams_) {
    // 1: CU_STREAM_NON_BLOCKING. The legacy stream is the other threads', too.
    must(static_cast<CUresult>(anycuda::api::cuStreamCreate(&stream, 1)), "cuStreamCreate");
  }
  must(Kernel::load(machine.image, machine.kernel, &kernel_), "Kernel::load");
  for (Buffer& buffer : memory_) must(Buffer::allocate(kBytes, &buffer), "Buffer::allocate");
  // 2: CU_EVENT_DISABLE_TIMING.
  for (Event* event : {&event_, &join_}) must(Event::create(2, event), "Event::create");
}

Walker::~Walker() {
  for (CUstream stream : streams_) {
    if (stream != nullptr) anycuda::api::cuStreamDestroy_v2(stream);
  }
}

void Walker::must(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  throw Failure(std::string(call) + " returned " + std::to_string(result) + ": " + last_error());
}

void Walker::must_refuse(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) throw Failure(std::string(call) + " succeeded");
  expect(last_error()[0] != '\0', std::string(call) + " was refused without a sentence");
}

void Walker::must_fail(unsigned result, const char* call) {
  if (result == 0) throw Failure(std::string(call) + " succeeded");
}

void Walker::may_refuse_copy(CUresult result, const char* call, const ModelGraph& graph) {
  // Driver 580 refuses to embed some graphs that are in child nodes themselves (measured).
  if (result == CUDA_ERROR_NOT_SUPPORTED && (graph.child || !graph.copied())) return;
  std::string what = std::string(call) + " returned " + std::to_string(result) + ": " +
                     last_error() + "; the graph has nodes of the kinds";
  for (const auto& node : graph.nodes) what += " " + std::to_string(static_cast<int>(node->kind));
  throw Failure(what);
}

void Walker::expect(bool holds, const std::string& what) {
  if (!holds) throw Failure(what);
}

Token Walker::token() {
  lives_.push_back(std::make_shared<Life>(++next_life_, operation_));
  return lives_.back();
}

OpaqueHandle Walker::owner(const Token& token) {
  Traits traits;
  traits.drains = chance(4);
  if (!strict_ && chance(8)) {
    Buffer buffer;
    must(Buffer::allocate(kBytes, &buffer), "Buffer::allocate");
    traits.kept = buffer.allocation();
  }
  return owner_of(token, std::move(traits));
}

Held* Walker::held() { return held_.empty() ? nullptr : pick(held_).get(); }

GraphView Walker::view_of(const GraphView& outer, const ModelNode& node, std::size_t body) {
  GraphView view;
  if (node.kind == Kind::child) {
    must(child_graph(outer, node.handle, &view), "child_graph");
  } else {
    std::vector<GraphView> bodies;
    must(conditional_bodies(outer, node.handle, &bodies), "conditional_bodies");
    expect(bodies.size() == node.inner.size(), "conditional_bodies gives another number of bodies");
    view = bodies[body];
  }
  expect(view.get() == node.inner[body]->handle, "a view in a node names another graph");
  return view;
}

Place Walker::place() {
  Place at;
  at.root = held();
  if (at.root == nullptr) return at;
  at.model = at.root->model.get();
  at.view = at.root->view;
  while (!at.model->nodes.empty() && chance(2)) {
    const ModelNode& node = *pick(at.model->nodes);
    if (node.inner.empty() || (node.kind == Kind::conditional && !node.bodies_known)) break;
    const std::size_t body = any(node.inner.size());
    at.view = view_of(at.view, node, body);
    at.model = node.inner[body].get();
    at.body |= node.kind == Kind::conditional;
    at.child |= node.kind == Kind::child;
  }
  return at;
}

ModelNode* Walker::node_of(const Place& place, Kind kind) {
  std::vector<ModelNode*> all;
  for (const auto& node : place.model->nodes) {
    if (node->kind == kind) all.push_back(node.get());
  }
  return all.empty() ? nullptr : pick(all);
}

std::vector<CUgraphNode> Walker::before(const ModelGraph& graph) {
  std::vector<CUgraphNode> nodes;
  for (const auto& node : graph.nodes) {
    if (nodes.size() < 2 && chance(4)) nodes.push_back(node->handle);
  }
  return nodes;
}

Held& Walker::hold(Graph graph, std::unique_ptr<ModelGraph> model) {
  auto made = std::make_unique<Held>();
  made->graph = std::move(graph);
  made->view = made->graph.view();
  made->model = std::move(model);
  made->serial = ++next_held_;
  held_.push_back(std::move(made));
  return *held_.back();
}

void Walker::drop(Held* held) {
  for (auto at = held_.begin(); at != held_.end(); ++at) {
    if (at->get() != held) continue;
    held_.erase(at);
    return;
  }
}

void Walker::wait_for(unsigned stream) {
  must(static_cast<CUresult>(anycuda::api::cuStreamSynchronize(streams_[stream])),
       "cuStreamSynchronize");
  // CUDA orders a launch behind the earlier ones in its stream and of its executable graph.
  std::set<unsigned> streams{stream};
  std::set<unsigned long> execs;
  for (auto at = launches_.end(); at != launches_.begin();) {
    --at;
    if (streams.count(at->stream) == 0 && execs.count(at->exec) == 0) continue;
    streams.insert(at->stream);
    if (at->exec != 0) execs.insert(at->exec);
    if (at->raw != nullptr) {
      must(static_cast<CUresult>(anycuda::api::cuGraphExecDestroy(at->raw)), "cuGraphExecDestroy");
    }
    at = launches_.erase(at);
  }
}

void Walker::mark_all() {
  for (const Token& token : lives_) token->mark = nullptr;
  for (const auto& held : held_) {
    mark(held->model->used(), "a graph");
    mark(held->model->unused(), kUnused);
  }
  for (const auto& one : execs_) {
    mark(one->base, "an executable graph");
    for (const auto& node : one->nodes) mark(node.set, "an executable graph");
    mark(one->spare, kUnused);
    mark(one->replaced, kUnused);
  }
  for (const Launch& launch : launches_) {
    mark(launch.used, machine_.holds_launches ? "a launch" : kUnused);
    mark(launch.unused, kUnused);
  }
}

void Walker::check_used() {
  for (const Token& token : lives_) {
    const int freed = token->freed;
    if (freed == 0 || token->mark == nullptr || *token->mark == '\0') continue;
    throw Failure(name(*token) + " was freed while " + token->mark + " can still use it");
  }
  if (fault() != nullptr) throw Failure(fault());
  const std::string misuse = machine_.misuse();
  if (!misuse.empty()) throw Failure(misuse);
}

void Walker::check() {
  mark_all();
  check_used();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (auto at = lives_.begin(); at != lives_.end();) {
    const Token& token = *at;
    if (token->mark == nullptr && token->freed == 0) {
      expect(std::chrono::steady_clock::now() < end,
             name(*token) + " was never freed: no graph, executable graph or launch has it");
      if (drain() == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
      continue;
    }
    at = token->freed != 0 && token->mark == nullptr ? lives_.erase(at) : at + 1;
  }
  check_used();
}

void Walker::step() {
  ++steps_;
  static const std::vector<double> weights = [] {
    std::vector<double> all;
    for (std::size_t at = 0; at < Operations::count(); ++at) all.push_back(Operations::weight(at));
    return all;
  }();
  const std::size_t number =
      std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
  operation_ = Operations::name(number);
  Count& count = counts_[number];
  ++(Operations::run(number, this) ? count.done : count.refused);
  if (steps_ % 8 == 0) return check();
  mark_all();
  check_used();
}

void Walker::finish() {
  operation_ = "the end";
  while (!held_.empty() || !execs_.empty()) {
    if (held_.empty() || (!execs_.empty() && chance(2))) {
      destroy_exec();
    } else {
      destroy();
    }
    if (chance(3)) check();
  }
  for (unsigned stream = 0; stream < 3; ++stream) wait_for(stream);
  check();
  expect(lives_.empty(), "owners are left at the end");
}

}  // namespace walk
