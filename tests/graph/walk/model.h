// SPDX-License-Identifier: Apache-2.0

// The objects that must be alive: graphs, their nodes and the owners in them, as docs/graph.md
// describes them. The model never calls the library.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "anycuda/graph/graph.h"
#include "tests/graph/walk/owners.h"

namespace walk {

using anycuda::graph::kOwnerRoles;

enum class Kind {
  empty,
  kernel,
  memcpy,
  memset,
  host,
  event_record,
  event_wait,
  mem_alloc,
  mem_free,
  child,
  conditional
};

struct ModelGraph;

struct ModelNode {
  CUgraphNode handle = nullptr;
  Kind kind = Kind::empty;
  unsigned long serial = 0;  // never that of another node
  std::array<Token, kOwnerRoles> owners;
  Tokens unknown;  // owned by the node, and the library does not know that
  std::vector<std::unique_ptr<ModelGraph>> inner;
  bool bodies_known = false;  // of a conditional node: conditional_bodies() has them
};

struct ModelGraph {
  CUgraph handle = nullptr;
  // In a child node. Drivers before CUDA 13.1 do not tell such a graph from another at its address,
  // so the owners that its nodes had may stay until it goes.
  bool child = false;
  bool body = false;         // of a conditional node
  bool handle_made = false;  // of a conditional node; it stays when the node goes
  std::vector<std::unique_ptr<ModelNode>> nodes;
  Tokens whole;                   // kept with the graph as a whole
  Tokens former;                  // of nodes that are gone; the graph may hold them until it goes
  std::vector<CUgraphNode> lost;  // nodes that raw calls have destroyed

  ModelNode& add(CUgraphNode node, Kind kind);
  ModelNode* find(unsigned long serial) const;
  // The node goes. `unseen`: by a raw call, so its owners stay with the graph.
  void remove(const ModelNode* node, bool unseen);
  // A node of it gets new owners in the first `count` owners.
  void replace(ModelNode* node, const std::array<Token, kOwnerRoles>& owners, unsigned count);
  void set_owner(ModelNode* node, unsigned role, const Token& owner);
  void forget();  // the library no longer knows which nodes the owners belong to
  bool has(Kind kind) const;
  bool copied() const;        // every driver clones it, and embeds it in a child node
  std::size_t size() const;   // nodes, with those of all graphs in it
  std::size_t depth() const;  // 1 without graphs in it
  Tokens used() const;        // owners that the graph can still use
  Tokens unused() const;      // owners that the graph may hold without use
};

// The copy that the driver has made of a graph: the same owners, nodes with other handles.
std::unique_ptr<ModelGraph> copy_of(const ModelGraph& graph, CUgraph copy);

void append(Tokens* to, const Tokens& more);
void append(Tokens* to, const std::array<Token, kOwnerRoles>& more);

}  // namespace walk
