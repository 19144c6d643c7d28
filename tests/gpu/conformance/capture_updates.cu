// SPDX-License-Identifier: Apache-2.0

// Setting the dependencies of the next captured work.
#include "capture.h"
#include "topics.h"

namespace conformance {

namespace {

using Update = cudaError_t (*)(cudaStream_t stream, Node* nodes, std::size_t count, unsigned flags);

cudaError_t update(cudaStream_t stream, Node* nodes, std::size_t count, unsigned flags) {
#if CUDART_VERSION >= 13000
  return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
#else
  return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
#endif
}

#if defined(CONFORMANCE_EDGE_DATA)
cudaError_t update_with_data(cudaStream_t stream, Node* nodes, std::size_t count, unsigned flags) {
  const EdgeData data = {};
  return CONFORMANCE_WITH_DATA(cudaStreamUpdateCaptureDependencies)(stream, nodes, &data, count,
                                                                    flags);
}
#endif

void updated(const char* name, const char* text, Update update_it) {
  Check check(name);
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Capture capture(check, data.get());
  capture.work(1);
  Info first;
  if (!check || !check.call(kInfo, ask(capture.stream, first))) return;
  Node first_node = **first.nodes;
  // The next work waits for nothing, then for the first again.
  if (!check.call(text, update_it(capture.stream, nullptr, 0, cudaStreamSetCaptureDependencies))) {
    return;
  }
  Info none;
  check.call(kInfo, ask(capture.stream, none));
  EQUAL(check, *none.count, 0U);
  capture.work(2);
  if (!check.call(text,
                  update_it(capture.stream, &first_node, 1, cudaStreamAddCaptureDependencies))) {
    return;
  }
  Info both;
  check.call(kInfo, ask(capture.stream, both));
  EQUAL(check, *both.count, 2U);
  capture.work(4);
  capture.end();
  std::size_t count = 0;
  check.call("cudaGraphGetEdges",
             WithoutData::get_edges(capture.graph, nullptr, nullptr, nullptr, &count));
  EQUAL(check, count, 2U);
}

void wrongly_updated(const char* name, const char* text, Update update_it) {
  Check check(name);
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Capture capture(check, data.get());
  Node unknown = nullptr;
  if (!check) return;
  check.status("unknown_flags", text, update_it(capture.stream, nullptr, 0, 99));
  check.status("null_node", text,
               update(capture.stream, &unknown, 1, cudaStreamAddCaptureDependencies));
  check.status("not_captured", text,
               update_it(Stream(check), nullptr, 0, cudaStreamSetCaptureDependencies));
}

}  // namespace

void capture_updates() {
  const char* plain = "cudaStreamUpdateCaptureDependencies";
  updated("capture_updates.without_data", plain, update);
#if defined(CONFORMANCE_EDGE_DATA)
  const std::string with_data = function<WithData>(plain);
  updated("capture_updates.with_data", with_data.c_str(), update_with_data);
  wrongly_updated("capture_updates.wrong_with_data", with_data.c_str(), update_with_data);
#endif
  wrongly_updated("capture_updates.wrong", plain, update);
}

}  // namespace conformance
