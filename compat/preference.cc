#include "compat/preference.h"

#include "anycuda/compat/rules.h"

namespace anycuda {
namespace {

bool lto_ir_flows(LtoIr role, Version candidate, Version partner) {
  if (candidate.minor < 0 || partner.minor < 0) return candidate.major == partner.major;
  Flow flow;
  flow.format = Format::ltoir;
  flow.producer = role == LtoIr::makes ? candidate : partner;
  flow.consumer = role == LtoIr::makes ? partner : candidate;
  return judge_flow(flow) == PipelineVerdict::compatible;
}

bool any_flow(LtoIr role, Version candidate, const Company& company) {
  if (role == LtoIr::none || company.partner_count == 0) return true;
  for (int i = 0; i < company.partner_count; ++i) {
    if (lto_ir_flows(role, candidate, company.partners[i])) return true;
  }
  return false;
}

}  // namespace

Fit fit_of(const LibraryRules& library, Version candidate, const Company& company) {
  Fit fit;
  fit.version = candidate;
  fit.ptx_compiles = library.output != Output::ptx || company.mode == Mode::off ||
                     compiles_ptx_of(company.driver, candidate);
  fit.lto_ir_flows = any_flow(library.lto_ir, candidate, company);
  fit.callers_major = library.lto_ir != LtoIr::takes || company.caller_major == kNativeCaller ||
                      candidate.major == company.caller_major;
  return fit;
}

Preference preference(const Fit& a, const Fit& b) {
  if (a.ptx_compiles != b.ptx_compiles) return a.ptx_compiles ? Preference::ptx : Preference::none;
  if (a.lto_ir_flows != b.lto_ir_flows) {
    return a.lto_ir_flows ? Preference::lto_ir : Preference::none;
  }
  if (a.callers_major != b.callers_major) {
    return a.callers_major ? Preference::callers_major : Preference::none;
  }
  return newer(a.version, b.version) ? Preference::newest : Preference::none;
}

}  // namespace anycuda
