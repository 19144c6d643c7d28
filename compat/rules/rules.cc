// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/rules.h"

namespace anycuda {

PairVerdict evaluate_pair(const ComponentPair& pair) {
  const bool majors_differ = pair.first.major != pair.second.major;
  if (majors_differ && pair.both_runtimes) return PairVerdict::two_runtimes;
  if (pair.same_group && (majors_differ || pair.first.minor != pair.second.minor)) {
    return majors_differ ? PairVerdict::major_differs : PairVerdict::minor_differs;
  }
  if (majors_differ && !pair.only_portable_flows && !pair.allowed) {
    return PairVerdict::major_differs;
  }
  return PairVerdict::compatible;
}

PipelineVerdict evaluate_flow(const Flow& flow) {
  const bool same_major = flow.producer.major == flow.consumer.major;
  if (flow.with_nvvm || flow.format == Format::nvvm_ir) {
    return same_major && flow.producer.minor == flow.consumer.minor ? PipelineVerdict::compatible
                                                                    : PipelineVerdict::not_exact;
  }
  if (is_portable(flow.format)) return PipelineVerdict::compatible;
  if (!same_major) return PipelineVerdict::other_major;
  return flow.producer.minor > flow.consumer.minor ? PipelineVerdict::consumer_older
                                                   : PipelineVerdict::compatible;
}

}  // namespace anycuda
