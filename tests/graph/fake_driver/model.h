// SPDX-License-Identifier: Apache-2.0

// The fake driver's objects: graphs, nodes and user objects with reference counts, as a real driver
// (580, measured) treats them. Destroyed handles stay readable, so that their use is counted, and
// are reused, last in first out, as a real driver's allocator does.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "api/cuda_api.h"
#include "control.h"

namespace api = anycuda::api;

using References = std::map<CUuserObject_st*, unsigned>;

struct CUuserObject_st {
  bool alive = false;
  void* data = nullptr;
  void (*destroy)(void*) = nullptr;
  unsigned count = 0;
};

// That a node depends on another, as long as `id` is that of the node.
struct Dependency {
  CUgraphNode_st* node;
  unsigned long long id;
  api::CUgraphEdgeData_st data;
};

// Of kernel nodes and launches.
struct Attributes {
  int cooperative = 0;
  int priority = 0;
  int programmatic = 0;  // of a launch
  api::CUlaunchAttributeValue_union_clusterDim cluster{};
};

struct CUgraphNode_st {
  bool alive = false;
  unsigned long long id = 0;
  CUgraph_st* graph = nullptr;
  unsigned type = 0;
  std::vector<Dependency> after;
  api::CUDA_HOST_NODE_PARAMS_st host{};
  api::CUDA_KERNEL_NODE_PARAMS_st kernel{};
  Attributes attributes;
  api::CUDA_MEMCPY3D_st memcpy{};
  api::CUDA_MEMSET_NODE_PARAMS_st memset{};
  api::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st memory{};
  std::vector<api::CUmemAccessDesc_st> access;  // of `memory`
  const void* operand = nullptr;                // kernel's function, event
  // Copies of a kernel's arguments, where their sizes are known, and pointers to them.
  std::vector<std::vector<unsigned char>> arguments;
  std::vector<void*> pointers;
  unsigned long long address = 0;  // memcpy's and memset's destination
  const void* context = nullptr;   // memcpy's and memset's
  std::vector<CUgraph_st*> inner;  // the child graph, or the bodies
  std::size_t span = 0;            // in an executable graph: how many entries follow for those
};

struct CUgraph_st {
  bool alive = false;
  unsigned id = 0;
  bool embedded = false;
  bool capturing = false;
  std::vector<CUgraphNode_st*> nodes;
  References references;
  std::map<CUgraphNode_st*, CUgraphNode_st*> counterparts;  // the original's node -> this one's
};

struct CUgraphExec_st {
  bool alive = false;
  unsigned id = 0;
  References references;
  std::map<CUgraphNode_st*, References> children;  // those of the graphs in its child nodes
  std::vector<std::pair<CUgraphNode_st*, CUgraphNode_st>> nodes;  // the graph's, and a copy
};

struct Capture {
  unsigned long id = 0;
  unsigned status = api::CU_STREAM_CAPTURE_STATUS_ACTIVE;
  CUgraph_st* graph = nullptr;
  CUstream_st* primary = nullptr;
  unsigned mode = 0;
  bool own_graph = true;
};

struct CUstream_st {
  Capture* capture = nullptr;
  std::vector<CUgraphNode_st*> last;
  CUctx_st* context = nullptr;
};

namespace fake {

struct Launch {
  std::size_t number = 0;
  CUstream_st* stream = nullptr;
  References references;
  std::vector<api::CUDA_HOST_NODE_PARAMS_st> calls;
};

// The field of an attribute; nullptr for the cluster, and for one that this driver does not have.
int* number_in(Attributes* attributes, unsigned id);

constexpr unsigned kInvalidClusterSize = 912;
// As a real driver, which refuses a cluster and a grid that do not fit each other.
bool cluster_fits(const api::CUlaunchAttributeValue_union_clusterDim& cluster,
                  const api::CUDA_KERNEL_NODE_PARAMS_st& kernel);

struct World {
  std::recursive_mutex lock;
  unsigned last_id = 0;  // of graphs, nodes and executable graphs; never given again
  std::vector<CUgraph_st*> graphs, free_graphs;
  std::vector<CUgraphNode_st*> nodes, free_nodes;
  std::vector<CUuserObject_st*> objects, free_objects;
  std::vector<CUgraphExec_st*> execs, free_execs;
  std::map<unsigned long long, CUctx_st*> memory;  // and where it was made
  std::map<const void*, CUctx_st*> modules, events;
  std::map<const void*, std::string> names;                    // of functions
  std::map<const void*, std::vector<std::size_t>> parameters;  // of functions: their sizes
  std::map<const void*, std::set<std::size_t>> waits_for;      // events, and launches
  std::vector<Launch> launches;
  std::size_t launched = 0;
  const void* uploaded = nullptr;  // the stream of the last upload as part of an instantiation
  CUgraphNode_st last_launch;      // of a kernel on a stream, as if it were a node
  // By number; the executable graph by its id, since the address may be another's by then.
  std::map<std::size_t, std::pair<const void*, unsigned>> running;
  bool hold_launches = false;
  bool find_in_embedded = true;
  bool capture_two = false;
  unsigned capture_then_fail = 0;
  unsigned long last_capture = 0;
  std::list<Capture> captures;
  std::deque<CUstream_st> streams;
  std::map<const void*, CUstream_st> recorded;  // event -> the stream as it was, in a capture
  std::size_t misuses = 0;
  std::size_t wrong_contexts = 0;
};
World& world();

// The running launches that work added to the stream now waits for. CUDA orders a launch behind all
// earlier launches in its stream and all earlier launches of its executable graph, and so on for
// each of those (CUDA Driver API, cuGraphLaunch).
std::set<std::size_t> running_before(const CUstream_st* stream);

CUctx_st* current_context();
inline CUctx_st* context_of(const CUstream_st* stream) {
  return stream == nullptr ? current_context() : stream->context;
}

// At the start of each function: the status that a test has set, or 0.
unsigned fault(const char* function);

// The handle if it is alive; else the misuse is counted and the result is nullptr.
template <typename Handle>
Handle* living(Handle* handle) {
  if (handle != nullptr && handle->alive) return handle;
  if (handle != nullptr) ++world().misuses;
  return nullptr;
}

void retain(References* held, CUuserObject_st* object, unsigned count);
void retain_all(References* held, const References& others);
void drop(CUuserObject_st* object, unsigned count);  // at none, the destructor is due
void drop_all(References* held);

CUgraph_st* new_graph();
CUgraphNode_st* new_node(CUgraph_st* graph, unsigned type);
void depend(CUgraphNode_st* node, CUgraphNode_st* on, api::CUgraphEdgeData_st data = {});
void destroy(CUgraph_st* graph);
void destroy(CUgraphNode_st* node);
CUgraph_st* copy_of(const CUgraph_st& graph);
// A kernel node gets its function, and copies of the arguments, as the driver makes them.
void set_kernel(CUgraphNode_st* node, const api::CUDA_KERNEL_NODE_PARAMS_st& parameters);
// Whether it has conditional nodes, or nodes that allocate or free, at any depth: no driver copies
// it.
bool is_bound(const CUgraph_st& graph);
// Of its own nodes only.
bool has_memory_nodes(const CUgraph_st& graph);
// The references of a graph and of all graphs in it.
void collect(const CUgraph_st& graph, References* out);

// A call that may block or free: not allowed on a thread that captures in a strict mode.
unsigned unsafe_call();

// All launches that are held end, or those that one stream waits for.
void finish_launches(const CUstream_st* stream);

void due(CUuserObject_st* object);
void flush();
void hold_destructors(bool hold);

}  // namespace fake

// In each function: `FAULT` first, under the lock.
#define FAULT                                                             \
  const std::lock_guard<std::recursive_mutex> locked(fake::world().lock); \
  if (const unsigned wanted = fake::fault(__func__)) return wanted
