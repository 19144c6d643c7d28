// SPDX-License-Identifier: Apache-2.0

// Library and Kernel on this machine's driver, and the names in what NVRTC makes.
#include "anycuda/linker/library.h"

#include <cstdlib>
#include <map>
#include <stdexcept>

#include "child.h"
#include "memory.h"

extern "C" {  // NOLINTBEGIN(readability-identifier-naming): the driver's
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
}  // NOLINTEND(readability-identifier-naming)

namespace child {
namespace {

using anycuda::Kernel;
using anycuda::Library;

constexpr char kPtx[] = ".version 7.0\n.target sm_80\n.address_size 64\n";

Code code() {
  Code code(kPtx, InputType::ptx, "code.ptx");
  code.lowered_names["&scale<float>"] = "_Z5scaleIfEvPT_";
  return code;
}

template <typename Action>
void tell(const char* name, Action action) {
  std::string what;
  const std::string error = error_of(action, &what);
  if (!error.empty()) say("%s: %s: %s", name, error.c_str(), what.c_str());
}

void use(int device) {
  void* context = nullptr;
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
}

void describe(const Kernel& kernel) {
  const KernelAttributes one = kernel.attributes(1);
  say("attributes of device 1: %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d",
      one.max_threads_per_block, one.shared_bytes, one.const_bytes, one.local_bytes, one.registers,
      one.ptx_version, one.binary_version, one.cache_mode_ca, one.max_dynamic_shared_bytes,
      one.shared_memory_carveout, one.cluster_size_must_be_set, one.required_cluster[0],
      one.required_cluster[1], one.required_cluster[2], one.non_portable_cluster_size_allowed,
      one.cluster_scheduling_policy);
  say("registers here: %d", kernel.attributes().registers);
  for (const KernelParameter& parameter : kernel.parameters()) {
    say("parameter: %zu %zu", parameter.offset, parameter.bytes);
  }
  kernel.set_max_dynamic_shared_bytes(65536);
  kernel.set_shared_memory_carveout(50, 1);
  kernel.set_non_portable_cluster_size_allowed(true);
  say("blocks: %d", kernel.max_active_blocks(64, 5));
  const PotentialBlockSize fixed = kernel.potential_block_size(7, 128);
  say("block size: %d %d", fixed.min_grid, fixed.block);
  const std::size_t each = 3;
  const PotentialBlockSize varied =
      kernel.potential_block_size([&](int block) { return std::size_t(block) * each; }, 256);
  say("block size by a function: %d %d", varied.min_grid, varied.block);
  say("without a limit: %d", kernel.potential_block_size(0, 0).block);
  tell("thrown on", [&] {
    (void)kernel.potential_block_size([](int) -> std::size_t { throw std::runtime_error("mine"); });
  });
  say("shared bytes: %zu", kernel.available_dynamic_shared_bytes(2, 96));
  ClusterLaunch launch;
  launch.grid = {100, 1, 1};
  launch.block = {1, 1, 7};
  launch.shared_bytes = 1000;
  launch.cluster = {2};
  say("cluster: %d", kernel.max_cluster_size(launch));
  say("clusters: %d", kernel.max_active_clusters(launch));
  launch.cluster = {};
  say("clusters without a size: %d", kernel.max_active_clusters(launch));
}

// What a program does with a library, one step after the other.
void steps() {
  std::shared_ptr<const void> owner;
  Kernel other;
  {
    const Library library = Library::load(code());
    say("loaded '%s'", library.name().c_str());
    const Kernel kernel = library.kernel("&scale<float>");
    other = library.kernel("run");
    say("named %s, %s", kernel.name().c_str(), other.name().c_str());
    say("the same %d, another %d", kernel == library.kernel("_Z5scaleIfEvPT_"), kernel != other);
    auto* const here = kernel.function();
    use(1);
    say("one function for each context: %d", here != nullptr && kernel.function() != here);
    use(0);
    say("the same again: %d", kernel.function() == here);
    for (const std::string& name : library.kernel_names()) say("has %s", name.c_str());
    say("variable %llu %zu", library.global("table").address, library.global("table").bytes);
    say("managed %llu %zu", library.managed("shared").address, library.managed("shared").bytes);
    tell("no kernel", [&] { (void)library.kernel("nothing"); });
    tell("no variable", [&] { (void)library.global("nothing"); });
    tell("no managed variable", [&] { (void)library.managed("table"); });
    tell("no block", [&] { (void)kernel.max_active_blocks(0); });
    describe(kernel);
    owner = library.owner();
  }
  other = {};
  say("the owner holds it");
  owner.reset();
  say("nothing holds it");
}

// Of a driver that lists no kernels.
void names() {
  const Library library = Library::load(code());
  tell("no kernel", [&] { (void)library.kernel("nothing"); });
  tell("names", [&] { (void)library.kernel_names(); });
}

void files() {
  const std::string path = std::getenv("HOME") + std::string("/k.ptx");
  write(path, kPtx);
  say("loaded '%d'", Library::load(Input::file(path)).name() == path);
}

void refusals() {
  tell("LTO-IR", [] { (void)Library::load(Code("\x7f\x4e\x43\xed", InputType::lto_ir, "ir")); });
  tell("archive", [] { (void)Library::load(Input::bytes("!<arch>\n", "lib.a")); });
  tell("empty", [] { (void)Library::load(Input::bytes(InputType::ptx, "", "empty")); });
  tell("text", [] { (void)Library::load(Input::bytes("hello", "hello")); });
  tell("no file", [] { (void)Library::load(Input::file("/no/such/file.cubin")); });
  tell("PTX", [] { (void)Library::load(code()).kernel("run").function(); });
  tell("empty library", [] { (void)Library().kernel("run"); });
  tell("empty kernel", [] { (void)Kernel().function(); });
  tell("foreign kernel", [] {
    (void)Kernel::wrap(reinterpret_cast<CUkern_st*>(std::size_t{64}), nullptr, "f").parameters();
  });
  say("empty: %d %d %d", bool(Library()), bool(Kernel()), Library().name().empty());
}

// Each load is unloaded, whichever allocation fails.
void no_memory_for_libraries() {
  (void)Library::load(code());
  long count = 0;
  for (;; ++count) {
    Input input(code());
    fail_after(count);
    const std::string error = error_of([&] { (void)Library::load(input).kernel("run"); });
    const bool came = failed();
    fail_after(-1);
    if (!came) break;
    if (error != "bad_alloc") return say("allocation %ld: '%s'", count, error.c_str());
  }
  say("allocations that failed: %ld", count);
}

constexpr char kModule[] = R"(
template <typename T> __global__ void scale(T* p) { *p *= 2; }
template __global__ void scale<float>(float*);
__device__ int counter = 3;
__constant__ float table[4];
static __device__ int hidden;
__device__ int twice(int value) { return 2 * value + hidden++; }
extern "C" __global__ void run(int* out) { *out = twice(*out) + counter + int(table[1]); }
)";

void symbols() {
  for (const Output output : {Output::ptx, Output::cubin, Output::lto_ir}) {
    for (const bool relocatable : {true, false}) {
      ProgramOptions options;
      options.arch = "sm_80";
      options.relocatable = relocatable;
      const Code made = Program(kModule, "module.cu", options).compile(output);
      std::string line;
      for (const auto& [name, kind] : made.symbols()) line += " " + name + "=" + name_of(kind);
      say("%s, %d:%s", name_of(output), relocatable, line.c_str());
      const Code untyped(made, InputType::any);
      say("  the same without a type: %d", untyped.symbols() == made.symbols());
    }
  }
}

}  // namespace

int library(const Arguments& arguments) {
  const std::map<std::string, void (*)()> jobs = {{"steps", steps},
                                                  {"names", names},
                                                  {"files", files},
                                                  {"refusals", refusals},
                                                  {"no_memory", no_memory_for_libraries},
                                                  {"symbols", symbols}};
  jobs.at(arguments.at(0))();
  return 0;
}

}  // namespace child
