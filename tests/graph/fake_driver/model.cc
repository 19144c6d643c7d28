// SPDX-License-Identifier: Apache-2.0

// Life and death of graphs, nodes and user objects; the caller has the lock.
#include "model.h"

#include <algorithm>

namespace fake {
namespace {

template <typename Handle>
Handle* fresh(std::vector<Handle*>* all, std::vector<Handle*>* free) {
  Handle* made = nullptr;
  if (free->empty()) {
    made = new Handle;
    all->push_back(made);
  } else {
    made = free->back();
    free->pop_back();
    *made = Handle();
  }
  made->alive = true;
  return made;
}

}  // namespace

void retain(References* held, CUuserObject_st* object, unsigned count) {
  (*held)[object] += count;
  object->count += count;
}

void retain_all(References* held, const References& others) {
  for (const auto& [object, count] : others) retain(held, object, count);
}

void drop(CUuserObject_st* object, unsigned count) {
  if (!object->alive || object->count < count) {
    ++world().misuses;
    return;
  }
  object->count -= count;
  if (object->count != 0) return;
  object->alive = false;
  due(object);
  world().free_objects.push_back(object);
}

void drop_all(References* held) {
  for (const auto& [object, count] : *held) drop(object, count);
  held->clear();
}

CUgraph_st* new_graph() {
  CUgraph_st* const graph = fresh(&world().graphs, &world().free_graphs);
  graph->id = ++world().last_id;
  return graph;
}

CUgraphNode_st* new_node(CUgraph_st* graph, unsigned type) {
  CUgraphNode_st* const node = fresh(&world().nodes, &world().free_nodes);
  node->graph = graph;
  node->id = ++world().last_id;
  node->type = type;
  graph->nodes.push_back(node);
  return node;
}

void depend(CUgraphNode_st* node, CUgraphNode_st* on, api::CUgraphEdgeData_st data) {
  node->after.push_back({on, on->id, data});
}

void destroy(CUgraphNode_st* node) {
  for (CUgraph_st* inner : node->inner) destroy(inner);
  auto& siblings = node->graph->nodes;
  // From the end, where the nodes of a graph that is destroyed go.
  siblings.erase(std::find(siblings.rbegin(), siblings.rend(), node).base() - 1);
  node->alive = false;
  world().free_nodes.push_back(node);
}

void destroy(CUgraph_st* graph) {
  while (!graph->nodes.empty()) destroy(graph->nodes.back());
  drop_all(&graph->references);
  graph->alive = false;
  world().free_graphs.push_back(graph);
}

CUgraph_st* copy_of(const CUgraph_st& graph) {
  CUgraph_st* const copy = new_graph();
  retain_all(&copy->references, graph.references);
  for (CUgraphNode_st* node : graph.nodes) {
    CUgraphNode_st* const twin = new_node(copy, node->type);
    const unsigned long long id = twin->id;
    *twin = *node;
    twin->id = id;
    twin->graph = copy;
    for (Dependency& one : twin->after) {
      const auto found = copy->counterparts.find(one.node);
      if (found == copy->counterparts.end()) continue;
      one = {found->second, found->second->id, one.data};
    }
    for (CUgraph_st*& inner : twin->inner) {
      inner = copy_of(*inner);
      inner->embedded = true;
    }
    copy->counterparts[node] = twin;
  }
  return copy;
}

bool has_memory_nodes(const CUgraph_st& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const CUgraphNode_st* node) {
    return node->type == api::CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
           node->type == api::CU_GRAPH_NODE_TYPE_MEM_FREE;
  });
}

bool is_bound(const CUgraph_st& graph) {
  return has_memory_nodes(graph) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const CUgraphNode_st* node) {
           return node->type == api::CU_GRAPH_NODE_TYPE_CONDITIONAL ||
                  std::any_of(node->inner.begin(), node->inner.end(),
                              [](const CUgraph_st* inner) { return is_bound(*inner); });
         });
}

void collect(const CUgraph_st& graph, References* out) {
  retain_all(out, graph.references);
  for (const CUgraphNode_st* node : graph.nodes) {
    for (const CUgraph_st* inner : node->inner) collect(*inner, out);
  }
}

void set_kernel(CUgraphNode_st* node, const api::CUDA_KERNEL_NODE_PARAMS_st& parameters) {
  node->operand = parameters.func;
  node->kernel = parameters;
  node->kernel.kernelParams = nullptr;
  node->arguments.clear();
  const auto known = world().parameters.find(parameters.func);
  if (known == world().parameters.end() || parameters.kernelParams == nullptr) return;
  for (std::size_t at = 0; at < known->second.size(); ++at) {
    const auto* const bytes = static_cast<const unsigned char*>(parameters.kernelParams[at]);
    node->arguments.emplace_back(bytes, bytes + known->second[at]);
  }
}

}  // namespace fake

#ifndef FAKE_WITHOUT_USER_OBJECTS
namespace anycuda::api {
extern "C" {

unsigned cuUserObjectCreate(CUuserObject_st** out, void* data, Function<void, void*>* destroy,
                            unsigned count, unsigned flags) {
  FAULT;
  if (out == nullptr || destroy == nullptr || count == 0 || flags != 1) return 1;
  auto& all = fake::world();
  CUuserObject_st* const made = fake::fresh(&all.objects, &all.free_objects);
  made->data = data;
  made->destroy = destroy;
  made->count = count;
  *out = made;
  return 0;
}

unsigned cuUserObjectRetain(CUuserObject_st* object, unsigned count) {
  FAULT;
  if (fake::living(object) == nullptr) return 1;
  object->count += count;
  return 0;
}

unsigned cuUserObjectRelease(CUuserObject_st* object, unsigned count) {
  FAULT;
  if (fake::living(object) == nullptr) return 1;
  fake::drop(object, count);
  return 0;
}

unsigned cuGraphRetainUserObject(CUgraph_st* graph, CUuserObject_st* object, unsigned count,
                                 unsigned flags) {
  FAULT;
  if (fake::living(graph) == nullptr || fake::living(object) == nullptr) return 1;
  fake::retain(&graph->references, object, count);
  if (flags == 1) object->count -= count;
  return 0;
}

// A real driver does not check whether the graph holds it.
unsigned cuGraphReleaseUserObject(CUgraph_st* graph, CUuserObject_st* object, unsigned count) {
  FAULT;
  if (fake::living(graph) == nullptr || fake::living(object) == nullptr) return 1;
  unsigned& held = graph->references[object];
  if (held < count) {
    ++fake::world().misuses;
    held = count;
  }
  held -= count;
  if (held == 0) graph->references.erase(object);
  fake::drop(object, count);
  return 0;
}

}  // extern "C"
}  // namespace anycuda::api
#endif
