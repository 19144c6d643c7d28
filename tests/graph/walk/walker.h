// SPDX-License-Identifier: Apache-2.0

// One thread's walk: its graphs and executable graphs, and the operations that it chooses from.
#pragma once

#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "anycuda/graph/capture.h"
#include "anycuda/graph/drain.h"
#include "anycuda/graph/exec.h"
#include "anycuda/graph/graph.h"
#include "tests/graph/walk/model.h"
#include "tests/graph/walk/walk.h"

namespace walk {

using namespace anycuda::graph;  // NOLINT: every line of every operation is about it

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A graph that the walk owns, through a Graph or by itself; it may lie behind a borrowed view.
struct Held {
  Graph graph;
  GraphView view;         // that of the graph, or borrowed
  CUgraph raw = nullptr;  // set where the walk destroys it by a raw call
  std::unique_ptr<ModelGraph> model;
  unsigned long serial = 0;
};

// A graph to work on, at any depth, and its view.
struct Place {
  Held* root = nullptr;
  ModelGraph* model = nullptr;
  GraphView view;
  bool body = false;   // in a conditional node, at any depth
  bool child = false;  // in a child node, at any depth
};

struct Launchable {
  struct Node {
    unsigned long serial;
    CUgraphNode handle;
    Kind kind;
    Tokens inner;           // of a child graph
    Tokens set;             // by the last Exec::set_*
    bool launched = false;  // since then
  };
  Exec exec;
  unsigned long serial = 0;
  unsigned long source = 0;  // the graph that it was instantiated from
  std::vector<Node> nodes;
  bool calls_host = false;  // it has host nodes
  bool keyed = true;        // Node::inner is still what a child node has
  Tokens base;              // from the graph
  Tokens spare;             // held until the next update, or the end
  Tokens replaced;          // by Exec::set_*; go with the next call after the launches have ended
  Tokens by_function;       // in base, by Exec::set_with_owners
  bool handed = false;      // others may launch it: nothing goes before the next update
  bool raw_updated = false;
};

struct Launch {
  unsigned long exec;  // 0: not one of the walk's
  unsigned stream;
  Tokens used, unused;
  CUgraphExec raw = nullptr;  // destroyed after the launch
};

struct Parameters;

class Walker {
 public:
  Walker(const Machine& machine, const Options& options, unsigned thread);
  ~Walker();
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  void step();
  void finish();  // everything goes, in random order
  const char* operation() const { return operation_; }
  std::size_t steps() const { return steps_; }
  struct Count {
    std::size_t done = 0, refused = 0;
  };
  const std::vector<Count>& counts() const { return counts_; }

 private:
  friend struct Operations;

  // graphs.cc
  bool create();
  bool clone();
  bool destroy();
  bool move();
  bool add_child_graph();
  bool add_conditional_node();
  bool release_and_adopt();
  bool child_view();
  bool replace_child();
  bool drains();
  bool draining_deleters();
  // nodes.cc
  bool add();
  bool add_by_function();
  bool add_memory();
  bool set();
  bool set_by_function();
  bool set_owner();
  bool remove();
  bool change_edges();
  // execs.cc
  bool instantiate();
  bool launch();
  bool wait();
  bool update();
  bool update_one();
  bool update_child();
  bool update_by_function();
  bool enable();
  bool destroy_exec();
  // raw.cc
  bool raw_add();
  bool raw_destroy_node();
  bool raw_clone();
  bool raw_child();
  bool raw_update();
  bool raw_launch();
  // captures.cc
  bool capture();
  bool capture_into();
  bool fork_onto_itself();
  // invalid.cc
  bool closed_handles();
  bool wrong_operands();
  bool failing_functions();
  bool foreign_nodes();
  bool adopt_twice();

  // What operations are made of: walker.cc.
  std::size_t any(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  bool chance(unsigned of) { return random_() % of == 0; }
  template <typename T>
  T& pick(std::vector<T>& all) {
    return all[any(all.size())];
  }
  Token token();
  OpaqueHandle owner(const Token& token);
  Place place();  // a random graph at any depth; its root is nullptr if the walk holds no graph
  Held* held();   // a random graph that the walk holds; nullptr if it holds none
  GraphView view_of(const GraphView& outer, const ModelNode& node, std::size_t body);
  ModelNode* node_of(const Place& place, Kind kind);
  std::vector<CUgraphNode> before(const ModelGraph& graph);
  Held& hold(Graph graph, std::unique_ptr<ModelGraph> model);
  void drop(Held* held);
  bool full() const { return held_.size() >= 6; }
  // A graph that allocates and frees: no driver destroys its nodes.
  static bool keeps_nodes(const Place& at) {
    return at.root->model->has(Kind::mem_alloc) || at.root->model->has(Kind::mem_free);
  }
  Kind kind_for(const Place& at);  // one that may be there, without graphs in it
  Kind settable_kind();
  void fill(Kind kind, Parameters* out);
  Launchable* launchable();
  Held* source_of(const Launchable& one);  // nullptr where it is gone
  Held* updates(const Launchable& one);    // what it may be updated from
  // The node of the executable graph's source, if both are there.
  Launchable::Node* settable(Launchable* one, Kind kind);
  static void take_base(Launchable* one, const ModelGraph& graph);
  void set_in(Launchable* one, Launchable::Node* node, const Tokens& owners);
  void keep_in(const Launchable& one, const Tokens& owners);
  bool in_flight(const Launchable& one) const;
  void record_launch(Launchable* one, unsigned stream);
  CaptureMode capture_mode();
  void join(CUstream from, CUstream to);
  void keep_with_last(Capture* capture, ModelGraph* model, unsigned role);
  void work(Capture* capture, ModelGraph* model, bool hosts);
  void capture_work(Capture* capture, ModelGraph* model, bool hosts);
  void wait_for(unsigned stream);
  // Whether a call succeeded; a failure otherwise.
  void must(CUresult result, const char* call);
  void must_refuse(CUresult result, const char* call);
  static void must_fail(unsigned result, const char* call);  // a driver's call
  // A copy of the graph was refused, which a driver may do only where it does not copy every graph.
  static void may_refuse_copy(CUresult result, const char* call, const ModelGraph& graph);
  static void expect(bool holds, const std::string& what);

  void mark_all();
  void check_used();
  void check();  // against the model

  const Machine& machine_;
  const Options& options_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Held>> held_;
  std::vector<std::unique_ptr<Launchable>> execs_;
  std::vector<Launch> launches_;
  Tokens lives_;
  std::size_t next_life_ = 0;
  unsigned long next_held_ = 0;
  unsigned long next_exec_ = 0;
  Kernel kernel_;
  Buffer memory_[2];
  Event event_;
  Event join_;
  bool strict_ = false;  // in a capture that allocations invalidate
  CUstream streams_[3] = {};
  const char* operation_ = "start";
  std::size_t steps_ = 0;
  std::vector<Count> counts_;
};

// The operations, by number.
struct Operations {
  static std::size_t count();
  static const char* name(std::size_t number);
  static unsigned weight(std::size_t number);
  static bool run(std::size_t number, Walker* walker);

 private:
  struct Row;
  static const std::vector<Row>& rows();
};

}  // namespace walk
