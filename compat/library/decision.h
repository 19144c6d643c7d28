// SPDX-License-Identifier: Apache-2.0

// May a component be used together with the components that were accepted before? The order of the
// checks, as one pure function of plain values. Nothing is searched or queried here: a missing fact
// is a possible answer.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anycuda/compat/driver_query.h"
#include "compat/library/options/options.h"

namespace anycuda::compat {

// A library that the process has loaded.
struct LoadedImage {
  std::string name;    // as the dynamic linker has it: what it is opened by
  std::string path;    // absolute
  std::string soname;  // the catalogue's name for it, also where a wheel has renamed its copy
};

// The identity of a file, independent of its path; zeros: unknown.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
};

// A component that was found.
struct ComponentInstance {
  const Component* component = nullptr;
  std::string path;          // of the headers' folder, else of the file
  Version version;           // the toolkit's; unknown: neutral, or best_effort accepts it
  std::string source;        // of the version: "wheel nvidia-cuda-nvrtc-cu12 12.9.86"
  int soname_major = 0;      // of a dynamic library: the major that its SONAME names, 0: none
  std::string problem = {};  // why its version is not known
  std::vector<LoadedImage> runtimes = {};  // for cudart: every one that the process has loaded
  Found where = Found::system;             // for the log
  FileIdentity file = {};                  // of a dynamic library, when its facts were read
};

// 12 of "libcudart.so.12", 11 of "libcudart.so.11.0", 0 of a name without a major.
int major_of_soname(std::string_view soname);

// The CUDA runtime as a dynamic library: only one major of it may be loaded per process.
bool is_runtime(const Component& component);

// Of one group, or the same component twice: must they be of exactly the same toolkit?
bool companions(const ComponentInstance& a, const ComponentInstance& b);

// A flow that cannot work.
struct BrokenFlow {
  PipelineVerdict verdict = PipelineVerdict::compatible;
  Format format = Format::ptx;
  ComponentInstance producer;
  ComponentInstance consumer;
};

// Is there a pipeline between the two, and do all of them carry only formats that may cross majors?
bool only_portable_flows(const std::vector<Pipeline>& pipelines, const ComponentInstance& a,
                         const ComponentInstance& b);

// The state of an instance of the guard rails.
struct Remembered {
  std::vector<ComponentInstance> instances;  // in the order in which they were accepted
  std::vector<Pipeline> pipelines;
};

// The facts that have been queried so far.
struct DriverKnown {
  std::optional<DriverFacts> facts;
  std::optional<BranchAnswer> branch;
};

enum class Step : std::uint8_t {
  accepted,         // and to be remembered
  accepted_before,  // the same component again: nothing changes
  needs_driver,     // only the driver rule is left, which needs the driver's CUDA version
  needs_branch,     // the same, its branch
  // Refusals, in the order of the checks.
  packaged_elsewhere,
  no_metadata,
  constraint,
  runtime_loaded,  // cudart: the process has loaded one of another major
  flow,            // a declared pipeline to an accepted component cannot work
  pair,            // incompatible with an accepted component
  driver,
  no_branch,
  // Findings of opening a dynamic library.
  not_opened,
  not_its_file  // it is another file, or of another CUDA, than its file says
};

// May another candidate of the same component be accepted? Not if the component is released on its
// own (its version is unknown in every place), nor if the process has loaded a runtime (it excludes
// every other major). A broken installation ends the search, too: the user must know of it.
bool is_of_candidate(Step refusal);

struct Decision {
  Step step = Step::accepted;
  ComponentInstance other;  // runtime_loaded, pair: what it is incompatible with
  BrokenFlow flow;          // flow
  PairVerdict pair = PairVerdict::compatible;
  DriverVerdict driver = DriverVerdict::served;
};

Decision decide(const Policy& policy, const Remembered& known, const ComponentInstance& instance,
                const DriverKnown& driver);

// The first flow of the pipeline that cannot work between accepted components.
std::optional<BrokenFlow> evaluate_pipeline(const Policy& policy, const Remembered& known,
                                            const Pipeline& pipeline);

}  // namespace anycuda::compat
