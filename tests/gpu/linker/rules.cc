// SPDX-License-Identifier: Apache-2.0

// The chosen linker, with the installed driver and nvJitLink, by both rules.
#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {

namespace {

enum class Want { nvjitlink, driver, error };

// The table of the documentation, for a driver that is there.
Want wanted(Rule rule, bool lto) {
  const NvJitLinkProbe nvjitlink = probe_nvjitlink();
  if (nvjitlink.presence != Presence::usable) return lto ? Want::error : Want::driver;
  const int driver = driver_version() / 1000;
  const int major = static_cast<int>(nvjitlink.version.major);
  if (driver == major || (driver > major && rule == Rule::newer_driver)) return Want::nvjitlink;
  return lto ? Want::error : Want::driver;
}

bool names(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

void chosen(Rule rule, bool lto) {
  const std::string name = std::string(rule == Rule::same_major ? "same_major" : "newer_driver") +
                           (lto ? ", LTO-IR" : ", CUBIN");
  Check check("rule " + name);
  Options options;
  options.arch = device_arch();
  options.rule = rule;
  options.lto = lto;
  const Want want = wanted(rule, lto);
  try {
    Linker linker(both(lto ? InputType::lto_ir : InputType::cubin), options);
    check.detail(linker.selection_reason());
    EXPECT(check, want != Want::error);
    EQUAL(check, name_of(linker.backend()),
          name_of(want == Want::driver ? Backend::driver : Backend::nvjitlink));
    runs(check, linker.link());
  } catch (const BackendError& error) {
    const std::string what = error.what();
    check.detail(what);
    EXPECT(check, want == Want::error);
    EXPECT(check, names(what, "nvJitLink"));
    const NvJitLinkProbe nvjitlink = probe_nvjitlink();
    if (nvjitlink.presence != Presence::usable) return;  // no second version to name
    EXPECT(check, names(what, show(driver_version() / 1000) + "."));
    EXPECT(check, names(what, show(nvjitlink.version.major) + "." + show(nvjitlink.version.minor)));
  }
}

void probes() {
  Check check("probes");
  const NvJitLinkProbe nvjitlink = probe_nvjitlink();
  const DriverProbe driver = probe_driver();
  EQUAL(check, driver.version.major * 1000 + driver.version.minor * 10, driver_version());
  EXPECT(check, driver.problem.empty() && !driver.path.empty());
  if (nvjitlink.presence == Presence::usable) {
    check.detail("nvJitLink " + show(nvjitlink.version.major) + "." +
                 show(nvjitlink.version.minor) + " at " + nvjitlink.path);
    EXPECT(check, nvjitlink.reason.empty());
  } else {
    check.detail("no nvJitLink: " + nvjitlink.reason);
    EXPECT(check, !nvjitlink.reason.empty());
  }
  reset_probes();
  EXPECT(check, probe_nvjitlink().presence == nvjitlink.presence);
}

}  // namespace

void rules() {
  use_device();
  probes();
  for (const Rule rule : {Rule::same_major, Rule::newer_driver}) {
    for (const bool lto : {false, true}) chosen(rule, lto);
  }
}

}  // namespace gputest
