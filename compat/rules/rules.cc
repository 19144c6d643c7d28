// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/rules.h"

namespace anycuda {

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
