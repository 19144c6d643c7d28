// SPDX-License-Identifier: Apache-2.0

// The driver's functions that got another form, with other parameters, after 11.8: the first CUDA
// version at which cuGetProcAddress gives each. Asked for a version newer than its own, a driver
// may give the newest form it has (measured with drivers 535 and 550), which is not the one that
// the caller's headers declare. tests/tools/test_driver_forms.py compares the list with the
// database.
#pragma once

#include <cstring>

namespace anycuda {

struct Form {
  const char* name;
  unsigned since;
};

constexpr Form kForms[] = {
    {"cuCtxCreate", 12050},
    {"cuCtxGetDevice", 13000},
    {"cuCtxSynchronize", 13000},
    {"cuEventElapsedTime", 12080},
    {"cuGetProcAddress", 12000},
    {"cuGraphAddDependencies", 12030},
    {"cuGraphAddKernelNode", 12000},
    {"cuGraphAddNode", 12030},
    {"cuGraphAddNode", 13040},
    {"cuGraphExecKernelNodeSetParams", 12000},
    {"cuGraphExecUpdate", 12000},
    {"cuGraphGetEdges", 12030},
    {"cuGraphKernelNodeGetParams", 12000},
    {"cuGraphKernelNodeSetParams", 12000},
    {"cuGraphNodeGetDependencies", 12030},
    {"cuGraphNodeGetDependentNodes", 12030},
    {"cuGraphNodeSetParams", 13040},
    {"cuGraphRemoveDependencies", 12030},
    {"cuLaunchHostFunc", 13020},
    {"cuMemAdvise", 12020},
    {"cuMemPrefetchAsync", 12020},
    {"cuMemcpy3DBatchAsync", 13000},
    {"cuMemcpyBatchAsync", 13000},
    {"cuMulticastBindAddr", 13010},
    {"cuMulticastBindMem", 13010},
    {"cuStreamGetCaptureInfo", 12030},
    {"cuStreamGetCtx", 12050},
    {"cuStreamUpdateCaptureDependencies", 12030},
};

// Since when there is the form that a header of `version` declares; 0: since before this list. The
// forms of a name stand in the order in which they came.
inline unsigned form_since(const char* name, unsigned version) {
  unsigned since = 0;
  for (const Form& form : kForms) {
    if (form.since <= version && std::strcmp(form.name, name) == 0) since = form.since;
  }
  return since;
}

}  // namespace anycuda
