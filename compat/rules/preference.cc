// SPDX-License-Identifier: Apache-2.0
#include "compat/rules/preference.h"

#include "anycuda/compat/rules.h"
#include "compat/rules/gpu_rule.h"

namespace anycuda {
namespace {

bool lto_ir_flows(LtoIr role, Version candidate, Version peer) {
  if (candidate.minor < 0 || peer.minor < 0) return candidate.major == peer.major;
  Flow flow;
  flow.format = Format::ltoir;
  flow.producer = role == LtoIr::makes ? candidate : peer;
  flow.consumer = role == LtoIr::makes ? peer : candidate;
  return evaluate_flow(flow) == PipelineVerdict::compatible;
}

bool any_flow(LtoIr role, Version candidate, const PreferenceContext& context) {
  if (role == LtoIr::none || context.peer_count == 0) return true;
  for (int i = 0; i < context.peer_count; ++i) {
    if (lto_ir_flows(role, candidate, context.peers[i])) return true;
  }
  return false;
}

}  // namespace

Rank rank_of(const LibraryRules& library, Version candidate, const PreferenceContext& context) {
  Rank rank;
  rank.version = candidate;
  rank.has_gpu_code = !library.driver_bound || context.mode == Mode::off ||
                      has_code_for(context.oldest_gpu, candidate.major);
  rank.ptx_compiles = library.output != Output::ptx || context.mode == Mode::off ||
                      compiles_ptx_of(context.driver, candidate);
  rank.lto_ir_flows = any_flow(library.lto_ir, candidate, context);
  rank.callers_major = library.lto_ir != LtoIr::takes ||
                       context.caller_major == kUnversionedCaller ||
                       candidate.major == context.caller_major;
  rank.process_major = context.process_major == 0 || candidate.major == context.process_major;
  return rank;
}

bool needs_minor(const LibraryRules& library, Version candidate, const PreferenceContext& context) {
  if (library.output == Output::ptx && context.mode != Mode::off && context.driver.present &&
      candidate.major == context.driver.cuda.major) {
    return true;
  }
  if (library.lto_ir == LtoIr::none) return false;
  for (int i = 0; i < context.peer_count; ++i) {
    if (candidate.major == context.peers[i].major) return true;
  }
  return false;
}

Preference preference(const Rank& a, const Rank& b) {
  if (a.has_gpu_code != b.has_gpu_code) return a.has_gpu_code ? Preference::gpu : Preference::none;
  if (a.ptx_compiles != b.ptx_compiles) return a.ptx_compiles ? Preference::ptx : Preference::none;
  if (a.lto_ir_flows != b.lto_ir_flows) {
    return a.lto_ir_flows ? Preference::lto_ir : Preference::none;
  }
  if (a.callers_major != b.callers_major) {
    return a.callers_major ? Preference::callers_major : Preference::none;
  }
  if (a.process_major != b.process_major) {
    return a.process_major ? Preference::process_major : Preference::none;
  }
  if (a.complete != b.complete) return a.complete ? Preference::complete : Preference::none;
  if (a.known_major != b.known_major) {
    return a.known_major ? Preference::known_major : Preference::none;
  }
  return newer(a.version, b.version) ? Preference::newest : Preference::none;
}

}  // namespace anycuda
