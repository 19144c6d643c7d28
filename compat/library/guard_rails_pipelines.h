// Declared pipelines: what they may carry between two pieces. Pure.
#pragma once

#include <optional>
#include <vector>

#include "anycuda/compat/guard_rails.h"
#include "compat/library/guard_rails_item.h"

namespace anycuda::compat {

// The pipeline with the catalogue's spelling of its names. Throws UnknownNameError for names and
// formats that there are not, SettingError for a pipeline that carries nothing.
Pipeline checked(const Pipeline& pipeline);

// A flow that cannot work.
struct BrokenFlow {
  PipelineVerdict verdict = PipelineVerdict::compatible;
  Format format = Format::ptx;
  Item producer;
  Item consumer;
};

// Whichever of the two is the producer. Nothing, if the pipeline joins other pieces, or one's
// version is not known.
std::optional<BrokenFlow> broken_flow(const Pipeline& pipeline, const Item& a, const Item& b);

// Is there a pipeline between the two, and do all that there are carry only what may cross majors?
bool only_portable_flows(const std::vector<Pipeline>& pipelines, const Item& a, const Item& b);

}  // namespace anycuda::compat
