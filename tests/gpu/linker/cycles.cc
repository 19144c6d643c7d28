// SPDX-License-Identifier: Apache-2.0

// Compile, link, load, launch and check numbers, with each linker; then everything is released and
// repeated.
#include "linker/fixture.h"
#include "linker/topics.h"

namespace gputest {

namespace {

std::string details(const Linker& linker) {
  return std::string(name_of(linker.backend())) + ": " + linker.selection_reason();
}

void cycle(const Way& way) {
  Check check(std::string("two cycles: ") + way.name);
  for (int i = 0; i < 2; ++i) {
    check.during("cycle " + show(i));
    // From source, each time.
    ProgramOptions compile;
    compile.arch = device_arch();
    compile.relocatable = true;
    Program kernel(
        "extern \"C\" __device__ int twice(int);\n"
        "extern \"C\" __global__ void run(int* out, int n) {"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;"
        "  if (i < n) out[i] = twice(i) + 1; }",
        "kernel.cu", compile);
    Program helper("extern \"C\" __device__ int twice(int v) { return v + v; }", "helper.cu",
                   compile);
    std::string image;
    {
      Linker linker({Input::bytes(InputType::cubin, kernel.compile(Output::cubin), "kernel"),
                     Input::bytes(InputType::cubin, helper.compile(Output::cubin), "helper")},
                    options_for(way));
      image = linker.link();
      if (i == 0) check.detail(details(linker));
      if (way.backend) EXPECT(check, linker.backend() == *way.backend);
      EXPECT(check, !linker.selection_reason().empty());
      linker.close();
      EXPECT(check, linker.closed());
    }
    runs(check, image);  // the image is the caller's
  }
}

void lto_cycle() {
  Check check("two cycles: link-time optimisation");
  for (int i = 0; i < 2; ++i) {
    Options options;
    options.arch = device_arch();
    options.lto = true;
    Linker linker(both(InputType::lto_ir), options);
    EXPECT(check, linker.backend() == Backend::nvjitlink);
    runs(check, linker.link());
    runs(check, linker.link());  // a second link of the same
    if (i == 0) check.detail(details(linker));
  }
}

// PTX that comes of LTO-IR, compiled by the driver: one that knows this PTX.
void lto_to_ptx() {
  Check check("LTO-IR to PTX, which the driver compiles");
  Options options;
  options.arch = device_arch();
  options.lto = true;
  options.output = Output::ptx;
  Linker linker(both(InputType::lto_ir), options);
  const std::string ptx = linker.link();
  EXPECT(check, ptx.find(".version") != std::string::npos);
  const Version version = linker.nvjitlink_version();
  const bool known =
      version.known() && version.major * 1000 + version.minor * 10 <= driver_version();
  if (known) {
    runs(check, ptx);
  } else {
    check.detail("not loaded: this PTX is newer than the driver");
  }
}

void arch_of_the_device() {
  for (const Way& way : ways()) {
    Check check(std::string("without an arch it is the device's: ") + way.name);
    use_device();
    Options options;
    options.backend = way.backend;
    Linker linker(both(InputType::ptx), options);
    runs(check, linker.link());
  }
}

void with_options() {
  for (const Way& way : ways()) {
    Check check(std::string("options that both linkers have: ") + way.name);
    Options options = options_for(way);
    options.optimization_level = 3;
    options.line_info = true;
    options.max_registers = 32;
    options.verbose = true;
    Linker linker(both(InputType::ptx), options);
    runs(check, linker.link());
    check.detail(show(linker.info_log().size()) + " bytes of log");
  }
}

// Two linkers of one process, alive together, differ.
void side_by_side() {
  Check check("two linkers of different backends, alive together");
  Options by_driver;
  by_driver.arch = device_arch();
  by_driver.backend = Backend::driver;
  Options by_nvjitlink = by_driver;
  by_nvjitlink.backend = Backend::nvjitlink;
  Linker first(both(InputType::cubin), by_driver);
  Linker second(both(InputType::cubin), by_nvjitlink);
  const std::string one = first.link();
  const std::string two = second.link();
  EXPECT(check, first.backend() != second.backend());
  runs(check, one);
  runs(check, two);
}

}  // namespace

void cycles() {
  use_device();
  for (const Way& way : ways()) cycle(way);
  arch_of_the_device();
  with_options();
  if (!has_nvjitlink()) return;
  lto_cycle();
  lto_to_ptx();
  side_by_side();
}

}  // namespace gputest
