// SPDX-License-Identifier: Apache-2.0

// A program that uses, as any program would, the functions that differ between CUDA 11, 12 and 13.
// Built by nvcc of each major, it is run natively and through the stub, and must print the same.
//
//     conformance-12 --list     the topics
//     conformance-12 TOPIC...   those; all without
//
// Each line is described in check.h. Exit status: 1 if there was a FAIL.
#include <cstdio>
#include <cstring>

#include "check.h"
#include "topics.h"

namespace {

struct Topic {
  const char* name;
  void (*run)();
};

constexpr Topic kTopics[] = {
    {"properties", conformance::properties},
    {"pointers", conformance::pointers},
    {"functions", conformance::functions},
    {"textures", conformance::textures},
    {"surfaces", conformance::surfaces},
#if CUDART_VERSION < 12000
    {"references", conformance::references},
#endif
    {"managed", conformance::managed},
    {"pools", conformance::pools},
#if CUDART_VERSION >= 12000
    {"batches", conformance::batches},
#endif
    {"graphs", conformance::graphs},
    {"edges", conformance::edges},
#if CUDART_VERSION >= 12020
    {"nodes", conformance::nodes},
#endif
#if CUDART_VERSION >= 12030
    {"conditionals", conformance::conditionals},
#endif
    {"node_attributes", conformance::node_attributes},
    {"capture", conformance::capture},
    {"capture_updates", conformance::capture_updates},
    {"launches", conformance::launches},
    {"streams", conformance::streams},
    {"external", conformance::external},
    {"entry_points", conformance::entry_points},
    {"threads", conformance::threads},
#if CUDART_VERSION >= 12020
    {"libraries", conformance::libraries},
#endif
#if CUDART_VERSION >= 12040
    {"notices", conformance::notices},
#endif
#if CUDART_VERSION >= 13000
    {"contexts", conformance::contexts},
#endif
};

bool wanted(const char* topic, int count, char** names) {
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(topic, names[i]) == 0) return true;
  }
  return count == 1;
}

}  // namespace

int main(int count, char** names) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was printed before a crash is worth most
  if (count == 2 && std::strcmp(names[1], "--list") == 0) {
    for (const Topic& topic : kTopics) std::printf("%s\n", topic.name);
    return 0;
  }
  for (const Topic& topic : kTopics) {
    if (!wanted(topic.name, count, names)) continue;
    topic.run();
    std::printf("done %s\n", topic.name);
  }
  return conformance::failures() != 0 ? 1 : 0;
}
