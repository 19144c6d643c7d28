// SPDX-License-Identifier: Apache-2.0

// Made-up functions of the runtime for nodes of each type: they record their arguments.
#pragma once

#include <ostream>
#include <string>

#include "tests/stubs/adapters/fake_runtime.h"

namespace anycuda::test {

using NodeParams = v13::cudaGraphNodeParams;
using Exec = v13::cudaGraphExec_t;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;

template <typename Handle>
Handle handle(std::size_t number) {
  return reinterpret_cast<Handle>(number * 16);
}

// What a function of the runtime or the driver was called with last.
struct NodeCall {
  int times;
  std::string function;
  Exec exec;
  Node node;
  Graph graph;
  const Node* dependencies;
  std::size_t count;
  std::string bytes;  // of the parameters
};
inline NodeCall node_call;
inline unsigned node_answer;  // what it answers

// A type of node. `sample` is what the runtime's functions take, four bytes of padding at `gap`
// zero, `fill` makes the same of the one struct for all types.
struct Kind {
  const char* name;
  unsigned type;
  void (*fill)(NodeParams*);
  std::string (*sample)();
  std::size_t gap;
  const char* add;
  const char* set;
  const char* set_exec;
  const char* get;
  void (*fake_all)(const Kind&);
};
inline void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

template <typename Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline const Kind* faked[12];  // by type: what its fakes stand for

// Fakes of a type whose functions take a struct.
template <unsigned kType, typename Record>
struct OfRecord {
  static unsigned add(Node* node, Graph graph, const Node* dependencies, std::size_t count,
                      const Record* record) {
    node_call = {
        node_call.times + 1, faked[kType]->add, nullptr, nullptr, graph, dependencies, count,
        bytes_of(*record)};
    if (node_answer == 0) *node = handle<Node>(77);
    return node_answer;
  }
  static unsigned set(Node node, const Record* record) {
    node_call = {node_call.times + 1, faked[kType]->set, nullptr, node, nullptr, nullptr, 0,
                 bytes_of(*record)};
    return node_answer;
  }
  static unsigned set_exec(Exec exec, Node node, const Record* record) {
    node_call = {node_call.times + 1, faked[kType]->set_exec, exec, node, nullptr, nullptr, 0,
                 bytes_of(*record)};
    return node_answer;
  }
  static unsigned get(Node node, Record* record) {
    node_call = {node_call.times + 1, faked[kType]->get, nullptr, node, nullptr, nullptr, 0, ""};
    if (node_answer == 0) std::memcpy(record, faked[kType]->sample().data(), sizeof *record);
    return node_answer;
  }
};

// Of a type whose functions take a handle or a pointer as it is.
template <unsigned kType, typename Value>
struct OfValue {
  static unsigned add(Node* node, Graph graph, const Node* dependencies, std::size_t count,
                      Value value) {
    return OfRecord<kType, Value>::add(node, graph, dependencies, count, &value);
  }
  static unsigned set(Node node, Value value) { return OfRecord<kType, Value>::set(node, &value); }
  static unsigned set_exec(Exec exec, Node node, Value value) {
    return OfRecord<kType, Value>::set_exec(exec, node, &value);
  }
  static unsigned get(Node node, Value* value) { return OfRecord<kType, Value>::get(node, value); }
};

template <unsigned kType, typename Fakes>
void fake_kind(const Kind& kind) {
  faked[kType] = &kind;
  fake(kind.add, Fakes::add);
  if (kind.set != nullptr) fake(kind.set, Fakes::set);
  if (kind.set_exec != nullptr) fake(kind.set_exec, Fakes::set_exec);
  if (kind.get != nullptr) fake(kind.get, Fakes::get);
}

inline unsigned add_empty(Node* node, Graph graph, const Node* dependencies, std::size_t count) {
  node_call = {node_call.times + 1,
               "cudaGraphAddEmptyNode",
               nullptr,
               nullptr,
               graph,
               dependencies,
               count,
               ""};
  if (node_answer == 0) *node = handle<Node>(77);
  return node_answer;
}
inline unsigned add_allocation(Node* node, Graph graph, const Node* dependencies, std::size_t count,
                               v11::cudaMemAllocNodeParams* params) {
  node_call = {
      node_call.times + 1, "cudaGraphAddMemAllocNode", nullptr, nullptr, graph, dependencies, count,
      bytes_of(*params)};
  params->dptr = handle<void*>(99);
  if (node_answer == 0) *node = handle<Node>(77);
  return node_answer;
}

}  // namespace anycuda::test
