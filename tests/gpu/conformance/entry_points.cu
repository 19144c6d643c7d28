// SPDX-License-Identifier: Apache-2.0

// Driver functions from cudaGetDriverEntryPoint: what comes back is called, with the arguments that
// the program's own headers give it. Asked without a place for the function, real runtimes crash.
#include "driver.h"
#include "kernels.h"
#include "later.h"
#include "support.h"
#include "topics.h"

namespace conformance {

namespace {

// In each form a program may use; `found` stays untouched where the form has none.
using Query = cudaError_t (*)(const char* name, void** function, unsigned long long flags,
                              Guarded<int>& found);

#if CUDART_VERSION < 12000
cudaError_t by_name(const char* name, void** function, unsigned long long flags, Guarded<int>&) {
  return cudaGetDriverEntryPoint(name, function, flags);
}
#else
cudaDriverEntryPointQueryResult* result(Guarded<int>& found) {
  return reinterpret_cast<cudaDriverEntryPointQueryResult*>(found.get());
}
cudaError_t by_name(const char* name, void** function, unsigned long long flags,
                    Guarded<int>& found) {
  return cudaGetDriverEntryPoint(name, function, flags, result(found));
}
cudaError_t without_result(const char* name, void** function, unsigned long long flags,
                           Guarded<int>&) {
  return cudaGetDriverEntryPoint(name, function, flags, nullptr);
}
cudaError_t by_version(unsigned version, const char* name, void** function,
                       unsigned long long flags, Guarded<int>& found) {
#if CUDART_VERSION < 12050
  static const Later<const char*, void**, unsigned, unsigned long long,
                     cudaDriverEntryPointQueryResult*>
      cudaGetDriverEntryPointByVersion("cudaGetDriverEntryPointByVersion");
#endif
  return cudaGetDriverEntryPointByVersion(name, function, version, flags, result(found));
}
cudaError_t by_version_11_8(const char* name, void** function, unsigned long long flags,
                            Guarded<int>& found) {
  return by_version(11080, name, function, flags, found);
}
cudaError_t by_own_version(const char* name, void** function, unsigned long long flags,
                           Guarded<int>& found) {
  return by_version(CUDART_VERSION, name, function, flags, found);
}
#endif

// A function whose arguments never changed: found, called, compared.
void called(const std::string& form, const char* text, Query query) {
  Check check("entry_points." + form + ".called");
  CALL(check, cudaFree(nullptr));
  if (!check) return;
  Guarded<void*> function;
  Guarded<int> found;
  if (!check.call(text, query("cuDeviceGetCount", function.get(), cudaEnableDefault, found))) {
    return;
  }
  INTACT(check, function);
  INTACT(check, found);
  if (!found.untouched()) check.value("found", *found);
  int by_driver = 0;
  int by_runtime = 0;
  EQUAL(check, reinterpret_cast<CUresult (*)(int*)>(*function)(&by_driver), CUDA_SUCCESS);
  CALL(check, cudaGetDeviceCount(&by_runtime));
  EQUAL(check, by_driver, by_runtime);

  // cuMemGetInfo's plain form of old writes 32 bits; every form since 3.2 writes size_t.
  if (!check.call(text, query("cuMemGetInfo", function.get(), cudaEnableDefault, found))) return;
  Guarded<std::size_t> free;
  Guarded<std::size_t> total;
  EQUAL(check,
        reinterpret_cast<CUresult (*)(std::size_t*, std::size_t*)>(*function)(free.get(),
                                                                              total.get()),
        CUDA_SUCCESS);
  INTACT(check, free);
  INTACT(check, total);
  check.value("total", *total);
}

// cuStreamGetCaptureInfo has three forms: of 10.1 (3 arguments), 11.3 (6) and 12.3 (7). Called with
// seven places, all three are safe, and the places that they filled show which it was.
void form_of_capture_info(const std::string& form, const char* text, Query query) {
  Check check("entry_points." + form + ".form");
  DeviceArray<int> data(check, kCount);
  Stream stream(check);
  if (!check) return;
  Guarded<void*> function;
  Guarded<int> found;
  if (!check.call(text,
                  query("cuStreamGetCaptureInfo", function.get(), cudaEnableDefault, found))) {
    return;
  }
  Guarded<int> status;
  Guarded<unsigned long long> id;
  Guarded<void*> graph;
  Guarded<void*> nodes;
  Guarded<std::size_t> sixth;  // edge data from 12.3 on, the number of nodes before
  Guarded<std::size_t> seventh;
  CALL(check, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  add<<<1, kCount, 0, stream>>>(data.get(), kCount, 1);
  using Longest = CUresult (*)(cudaStream_t, int*, unsigned long long*, void**, void**,
                               std::size_t*, std::size_t*);
  EQUAL(check,
        reinterpret_cast<Longest>(*function)(stream, status.get(), id.get(), graph.get(),
                                             nodes.get(), sixth.get(), seventh.get()),
        CUDA_SUCCESS);
  cudaGraph_t captured = nullptr;
  CALL(check, cudaStreamEndCapture(stream, &captured));
  cudaGraphDestroy(captured);
  check.value("since", graph.untouched() ? "10.1" : seventh.untouched() ? "11.3" : "12.3");
  EQUAL(check, *status, 1);
  if (!seventh.untouched()) EQUAL(check, *seventh, 1U);
}

void wrong(const std::string& form, const char* text, Query query) {
  Check check("entry_points." + form + ".wrong");
  CALL(check, cudaFree(nullptr));
  if (!check) return;
  Guarded<void*> function;
  Guarded<int> found;
  const auto ask = [&](const char* what, const char* name, unsigned long long flags) {
    check.status(what, text, query(name, function.get(), flags, found));
    INTACT(check, function);
    INTACT(check, found);
    if (!found.untouched()) check.value(std::string(what) + "_found", *found);
    check.value(std::string(what) + "_is_null", *function == nullptr);
  };
  ask("no_such_function", "cuNoSuchFunction", cudaEnableDefault);
  ask("no_name", "", cudaEnableDefault);
  ask("unknown_flags", "cuDeviceGetCount", 99);
  ask("legacy_stream", "cuMemcpyAsync", cudaEnableLegacyStream);
  ask("thread_stream", "cuMemcpyAsync", cudaEnablePerThreadDefaultStream);
}

void all(const std::string& form, const char* text, Query query) {
  called(form, text, query);
  form_of_capture_info(form, text, query);
  wrong(form, text, query);
}

}  // namespace

void entry_points() {
  all("by_name", "cudaGetDriverEntryPoint", by_name);
#if CUDART_VERSION >= 12000
  called("without_result", "cudaGetDriverEntryPoint", without_result);
  all("by_version_11_8", "cudaGetDriverEntryPointByVersion", by_version_11_8);
  all("by_own_version", "cudaGetDriverEntryPointByVersion", by_own_version);
#endif
}

}  // namespace conformance
