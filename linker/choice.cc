// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/choice.h"

#include "linker/base/message_text.h"

namespace anycuda::linker {
namespace {

bool needs_nvjitlink(const Facts& facts) { return facts.lto_ir_input || facts.lto_or_ptx_asked; }

// "LTO-IR is among the inputs", for the middle of a sentence.
const char* reason_for_nvjitlink(const Facts& facts) {
  if (facts.lto_ir_input && facts.lto_or_ptx_asked) {
    return "LTO-IR is among the inputs, and link-time optimisation or PTX output is requested";
  }
  if (facts.lto_ir_input) return "LTO-IR is among the inputs";
  return "link-time optimisation or PTX output is requested";
}

std::string versions(const Facts& facts) {
  return "nvJitLink is " + describe(facts.nvjitlink) + ", the driver supports CUDA " +
         describe(facts.driver);
}

std::string explain_nvjitlink(const Facts& facts) {
  const std::string version = describe(facts.nvjitlink);
  if (!facts.driver.known()) {
    return "nvJitLink " + version +
           " is used: the driver's version is unknown, so no rule forbids it";
  }
  if (facts.driver.major == facts.nvjitlink.major) {
    return "nvJitLink " + version +
           " is used: it is of the driver's major (the driver supports CUDA " +
           describe(facts.driver) + ")";
  }
  return "nvJitLink " + version + " is used: the driver, of CUDA " + describe(facts.driver) +
         ", loads the output of an older toolkit";
}

std::string explain_driver(const Facts& facts) {
  const std::string begin = "the driver's linker is used: ";
  const std::string end =
      ", and neither LTO-IR nor link-time optimisation nor PTX output is needed";
  if (!facts.nvjitlink.known()) return begin + "there is no nvJitLink" + end;
  const bool newer_driver = facts.driver.major > facts.nvjitlink.major;
  return begin + versions(facts) +
         (newer_driver ? ", the rule is same_major"
                       : ", and cannot load the output of a newer major") +
         end;
}

constexpr int kFirstMajor = 12;  // CUDA 11 has no nvJitLink

// From CUDA 13 on NVIDIA's packages have no major in their names.
std::string pip(int major) {
  const std::string number = std::to_string(major);
  return major < 13 ? "pip install nvidia-nvjitlink-cu" + number
                    : "pip install 'nvidia-nvjitlink==" + number + ".*'";
}

std::string explain_refusal(const Facts& facts, Refusal refusal) {
  const int major = facts.driver.major;
  const std::string install =
      "install nvJitLink " + std::to_string(major) + ".x (" + pip(major) + "), or ";
  const std::string begin = std::string(reason_for_nvjitlink(facts)) + ", which needs nvJitLink";
  switch (refusal) {
    case Refusal::driver_too_old:
      return begin + "; " + versions(facts) + ", and cannot load the output of a newer major: " +
             (major < kFirstMajor ? "install " : install) + "a driver for CUDA " +
             std::to_string(facts.nvjitlink.major) +
             "; or do without LTO-IR, lto and PTX output: then the driver's linker suffices";
    case Refusal::other_major:
      return begin + " of the driver's major by the rule same_major; " + versions(facts) + ": " +
             install + "use the rule newer_driver";
    default:
      return begin + " 12.3 or later, and none was found: install one of the driver's major (" +
             pip(12) + ", " + pip(13) +
             ", or a CUDA toolkit), or pass PTX or CUBIN without lto, for the driver's linker";
  }
}

}  // namespace

const char* name_of(Backend backend) {
  return backend == Backend::nvjitlink ? "nvJitLink" : "the driver's linker";
}

bool needs_driver(const Facts& facts) { return facts.nvjitlink.known(); }

Choice choose(const Facts& facts) {
  const bool needed = needs_nvjitlink(facts);
  if (!facts.nvjitlink.known()) {
    if (needed) return {std::nullopt, Refusal::needs_nvjitlink};
    return {Backend::driver, Refusal::none};
  }
  const int driver = facts.driver.major;
  const int nvjitlink = facts.nvjitlink.major;
  const bool loads_output =
      facts.rule == Rule::newer_driver ? driver >= nvjitlink : driver == nvjitlink;
  if (!facts.driver.known() || loads_output) return {Backend::nvjitlink, Refusal::none};
  if (!needed) return {Backend::driver, Refusal::none};
  return {std::nullopt, driver < nvjitlink ? Refusal::driver_too_old : Refusal::other_major};
}

std::string explain(const Facts& facts, const Choice& choice) {
  if (!choice.backend) return explain_refusal(facts, choice.refusal);
  return *choice.backend == Backend::nvjitlink ? explain_nvjitlink(facts) : explain_driver(facts);
}

}  // namespace anycuda::linker
