// SPDX-License-Identifier: Apache-2.0

// Compiles for the GPU with NVRTC and links with nvJitLink, whichever are installed: finds both and
// the runtime's headers, and refuses what cannot work together before any of it is used.
#include <anycuda/compat/guard_rails.h>

#include <cstdio>

namespace compat = anycuda::compat;

int main() {
  try {
    compat::Options options;
    options.constraint = ">=12.0,<14";
    options.pipelines = {{"nvrtc", "nvJitLink", {compat::Format::ltoir}}};
    compat::CompatibilityGuardRails rails(options);

    const compat::LoadedLibrary compiler = rails.load_dynamic_library("nvrtc");
    const compat::LoadedLibrary linker = rails.load_dynamic_library("nvJitLink");
    const std::string include = rails.find_headers("cudart");

    std::printf("compiler: %s\nlinker: %s\ninclude: %s\n", compiler.path.c_str(),
                linker.path.c_str(), include.c_str());
    // dlsym(compiler.handle, "nvrtcCompileProgram") and so on.
    return 0;
  } catch (const compat::DriverToolkitError& error) {
    std::fprintf(stderr, "the driver is too old:\n%s\n", error.what());
  } catch (const compat::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
