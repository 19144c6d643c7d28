// SPDX-License-Identifier: Apache-2.0

// One node of each type for tests of node parameters: as a program fills it, and as the runtime's
// functions for that type take it.
#pragma once

#include "tests/stubs/adapters/node_fakes.h"

namespace anycuda::test {

template <typename Record>
std::string record(void (*fill)(Record*)) {
  std::string bytes(sizeof(Record), 0);
  Record made;
  std::memset(static_cast<void*>(&made), 0, sizeof made);
  fill(&made);
  std::memcpy(bytes.data(), &made, sizeof made);
  return bytes;
}

// The fields of each struct have the same names wherever it appears.
template <typename Record>
void fill_kernel(Record* to) {
  to->func = handle<void*>(1);
  to->gridDim = {2, 3, 4};
  to->blockDim = {5, 6, 7};
  to->sharedMemBytes = 8;
  to->kernelParams = handle<void**>(9);
  to->extra = handle<void**>(10);
}
inline void fill_copy(v11::cudaMemcpy3DParms* to) {
  to->srcArray = handle<v11::cudaArray_t>(1);
  to->srcPos = {2, 3, 4};
  to->dstPtr = {handle<void*>(5), 6, 7, 8};
  to->extent = {9, 10, 11};
  to->kind = 3;
}
template <typename Record>
void fill_set(Record* to) {
  to->dst = handle<void*>(1);
  to->pitch = 2;
  to->value = 3;
  to->elementSize = 4;
  to->width = 5;
  to->height = 6;
}
inline void host_function(void*) {}
template <typename Record>
void fill_host(Record* to) {
  to->fn = host_function;
  to->userData = handle<void*>(2);
}
template <typename Record>
void fill_semaphores(Record* to) {
  to->extSemArray = handle<v11::cudaExternalSemaphore_t*>(1);
  to->paramsArray = handle<decltype(to->paramsArray)>(2);
  to->numExtSems = 3;
}
template <typename Record>
void fill_allocation(Record* to) {
  to->poolProps.allocType = 1;
  to->poolProps.location.id = 2;
  to->poolProps.win32SecurityAttributes = handle<void*>(3);
  to->accessDescs = handle<decltype(to->accessDescs)>(4);
  to->accessDescCount = 5;
  to->bytesize = 6;
}
// 12's fields for 13's places: 11's struct has no names for them.
inline void fill_allocation_of_11(v11::cudaMemAllocNodeParams* to) {
  fill_allocation(to);
  to->poolProps.reserved[0] = 7;  // maxSize
  to->poolProps.reserved[8] = 8;  // usage
}

constexpr std::size_t kNoGap = static_cast<std::size_t>(-1);

inline const Kind kKinds[] = {
    {"Kernel", 0, [](NodeParams* p) { fill_kernel(&p->kernel); },
     [] { return record<v11::cudaKernelNodeParams>(fill_kernel); }, 36, "cudaGraphAddKernelNode",
     "cudaGraphKernelNodeSetParams", "cudaGraphExecKernelNodeSetParams",
     "cudaGraphKernelNodeGetParams", fake_kind<0, OfRecord<0, v11::cudaKernelNodeParams>>},
    {"Memcpy", 1, [](NodeParams* p) { fill_copy(&p->memcpy.copyParams); },
     [] { return record<v11::cudaMemcpy3DParms>(fill_copy); }, 156, "cudaGraphAddMemcpyNode",
     "cudaGraphMemcpyNodeSetParams", "cudaGraphExecMemcpyNodeSetParams",
     "cudaGraphMemcpyNodeGetParams", fake_kind<1, OfRecord<1, v11::cudaMemcpy3DParms>>},
    {"Memset", 2, [](NodeParams* p) { fill_set(&p->memset); },
     [] { return record<v11::cudaMemsetParams>(fill_set); }, kNoGap, "cudaGraphAddMemsetNode",
     "cudaGraphMemsetNodeSetParams", "cudaGraphExecMemsetNodeSetParams",
     "cudaGraphMemsetNodeGetParams", fake_kind<2, OfRecord<2, v11::cudaMemsetParams>>},
    {"Host", 3, [](NodeParams* p) { fill_host(&p->host); },
     [] { return record<v11::cudaHostNodeParams>(fill_host); }, kNoGap, "cudaGraphAddHostNode",
     "cudaGraphHostNodeSetParams", "cudaGraphExecHostNodeSetParams", "cudaGraphHostNodeGetParams",
     fake_kind<3, OfRecord<3, v11::cudaHostNodeParams>>},
    {"Graph", 4, [](NodeParams* p) { p->graph.graph = handle<Graph>(1); },
     [] { return bytes_of(handle<Graph>(1)); }, kNoGap, "cudaGraphAddChildGraphNode", nullptr,
     "cudaGraphExecChildGraphNodeSetParams", "cudaGraphChildGraphNodeGetGraph",
     fake_kind<4, OfValue<4, Graph>>},
    {"Empty", 5, [](NodeParams*) {}, [] { return std::string(); }, kNoGap, "cudaGraphAddEmptyNode",
     nullptr, nullptr, nullptr, [](const Kind& kind) { fake(kind.add, add_empty); }},
    {"WaitEvent", 6, [](NodeParams* p) { p->eventWait.event = handle<v11::cudaEvent_t>(1); },
     [] { return bytes_of(handle<v11::cudaEvent_t>(1)); }, kNoGap, "cudaGraphAddEventWaitNode",
     "cudaGraphEventWaitNodeSetEvent", "cudaGraphExecEventWaitNodeSetEvent",
     "cudaGraphEventWaitNodeGetEvent", fake_kind<6, OfValue<6, v11::cudaEvent_t>>},
    {"EventRecord", 7, [](NodeParams* p) { p->eventRecord.event = handle<v11::cudaEvent_t>(2); },
     [] { return bytes_of(handle<v11::cudaEvent_t>(2)); }, kNoGap, "cudaGraphAddEventRecordNode",
     "cudaGraphEventRecordNodeSetEvent", "cudaGraphExecEventRecordNodeSetEvent",
     "cudaGraphEventRecordNodeGetEvent", fake_kind<7, OfValue<7, v11::cudaEvent_t>>},
    {"Signal", 8, [](NodeParams* p) { fill_semaphores(&p->extSemSignal); },
     [] { return record<v11::cudaExternalSemaphoreSignalNodeParams>(fill_semaphores); }, 20,
     "cudaGraphAddExternalSemaphoresSignalNode", "cudaGraphExternalSemaphoresSignalNodeSetParams",
     "cudaGraphExecExternalSemaphoresSignalNodeSetParams",
     "cudaGraphExternalSemaphoresSignalNodeGetParams",
     fake_kind<8, OfRecord<8, v11::cudaExternalSemaphoreSignalNodeParams>>},
    {"Wait", 9, [](NodeParams* p) { fill_semaphores(&p->extSemWait); },
     [] { return record<v11::cudaExternalSemaphoreWaitNodeParams>(fill_semaphores); }, 20,
     "cudaGraphAddExternalSemaphoresWaitNode", "cudaGraphExternalSemaphoresWaitNodeSetParams",
     "cudaGraphExecExternalSemaphoresWaitNodeSetParams",
     "cudaGraphExternalSemaphoresWaitNodeGetParams",
     fake_kind<9, OfRecord<9, v11::cudaExternalSemaphoreWaitNodeParams>>},
    {"MemAlloc", 10,
     [](NodeParams* p) {
       fill_allocation(&p->alloc);
       p->alloc.poolProps.maxSize = 7;
       p->alloc.poolProps.usage = 8;
     },
     [] { return record<v11::cudaMemAllocNodeParams>(fill_allocation_of_11); }, kNoGap,
     "cudaGraphAddMemAllocNode", nullptr, nullptr, "cudaGraphMemAllocNodeGetParams",
     [](const Kind& kind) {
       fake_kind<10, OfRecord<10, v11::cudaMemAllocNodeParams>>(kind);
       fake(kind.add, add_allocation);
     }},
    {"MemFree", 11, [](NodeParams* p) { p->free.dptr = handle<void*>(1); },
     [] { return bytes_of(handle<void*>(1)); }, kNoGap, "cudaGraphAddMemFreeNode", nullptr, nullptr,
     "cudaGraphMemFreeNodeGetParams", fake_kind<11, OfValue<11, void*>>},
};

inline NodeParams filled(const Kind& kind) {
  NodeParams params{};
  params.type = kind.type;
  kind.fill(&params);
  return params;
}

// What was given to the function, without padding.
inline std::string given(const Kind& kind) {
  std::string bytes = node_call.bytes;
  if (kind.gap != kNoGap) bytes.replace(kind.gap, 4, 4, '\0');
  return bytes;
}

}  // namespace anycuda::test
