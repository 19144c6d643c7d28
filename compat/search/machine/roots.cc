// SPDX-License-Identifier: Apache-2.0
#include "compat/search/machine/roots.h"

#include <cstring>
#include <initializer_list>

#include "compat/base/folder_entries.h"
#include "compat/search/machine/caller_folders.h"
#include "compat/search/machine/ld_cache.h"
#include "compat/search/machine/library_path.h"
#include "compat/search/machine/python_path.h"
#include "compat/search/machine/system_toolkits.h"
#include "compat/search/machine/trust.h"

namespace anycuda {
namespace {

struct Walk {
  const Machine& machine;
  const RootQuery& query;
  Arena* arena;
  RootVisitor visit;
  void* argument;
  bool ended = false;

  bool root(const Root& root) {
    if (!ended && root.path != nullptr) ended = !visit(root, argument);
    return !ended;
  }
};

// Roots of one kind, as a visitor of paths.
template <RootKind kind, bool begins = true>
bool visit_path(const char* path, void* walk) {
  return static_cast<Walk*>(walk)->root({kind, path, begins});
}

void run_path(Walk* walk, RunPath which) {
  if (walk->machine.privileged()) return;
  each_run_path_folder(*walk->query.program, walk->query.caller, which, walk->arena,
                       visit_path<RootKind::folder>, walk);
}

bool visit_library_path(const char* path, bool begins, void* walk) {
  return static_cast<Walk*>(walk)->root({RootKind::folder, path, begins});
}

struct CallersEnvironment {
  Walk* walk;
  const char* file;
  bool is_venv;  // its packages begin the environment
};

bool visit_environment(const char* path, bool begins, void* environment) {
  const auto& callers = *static_cast<const CallersEnvironment*>(environment);
  const bool is_first = begins && callers.is_venv;
  return callers.walk->root({RootKind::site_packages, path, is_first, true, callers.file});
}

bool visit_caller_folder(const CallerFolder& folder, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  if (!walk->root({RootKind::site_packages, folder.path, true, folder.guessed, folder.file})) {
    return false;
  }
  // pip puts a compiled program into the bin of a virtual environment, its packages into the lib;
  // conda puts programs and libraries into its prefix: the rows "C++ program that a wheel has put
  // into .venv/bin" and "C++ program in the bin of a conda environment, not activated".
  if (!folder.is_prefix || walk->query.program->is_interpreter()) return true;
  // The file first: most programs are in no such environment.
  const char* mark = walk->arena->join(folder.path, "pyvenv.cfg");
  const bool is_venv = walk->query.absent.find(mark, is_entry);
  if (!is_venv) mark = walk->arena->join(folder.path, "conda-meta");
  if (!is_venv && !walk->query.absent.find(mark, is_entry)) return true;
  const uid_t owner = owner_of(folder.file);
  if (!only_trusted_can_write(mark, owner) || !only_trusted_can_write(folder.path, owner)) {
    return true;
  }
  if (!is_venv && !walk->root({RootKind::conda, folder.path, true, true, folder.file})) {
    return false;
  }
  CallersEnvironment environment{walk, folder.file, is_venv};
  each_packages_folder(folder.path, walk->arena, visit_environment, &environment);
  return !walk->ended;
}

void callers(Walk* walk) {
  if (walk->machine.privileged()) return;
  each_caller_folder(*walk->query.program, walk->query.caller, walk->arena, visit_caller_folder,
                     walk);
  // The order of a Python's packages is preferred to the libraries that it happens to have loaded.
  if (!walk->ended && !walk->query.program->is_python()) {
    each_loaded_site(walk->machine, walk->arena, visit_path<RootKind::site_packages>, walk);
  }
}

bool visit_packages(const char* path, bool begins, void* walk) {
  return static_cast<Walk*>(walk)->root({RootKind::site_packages, path, begins});
}

void python(Walk* walk) {
  const Interpreter& program = *walk->query.program;
  if (!program.is_python() || walk->machine.privileged()) return;
  each_python_folder(walk->machine, program, walk->arena, visit_packages, walk);
  if (!walk->ended) {
    each_loaded_site(walk->machine, walk->arena, visit_path<RootKind::site_packages>, walk);
  }
}

bool same_folder(const char* a, const char* b, Arena* arena) {
  if (std::strcmp(a, b) == 0) return true;
  const std::size_t mark = arena->mark();
  const char* real_a = real_path(a, arena);
  const char* real_b = real_path(b, arena);
  const bool same = real_a != nullptr && real_b != nullptr && std::strcmp(real_a, real_b) == 0;
  arena->rewind(mark);
  return same;
}

// An interpreter's prefix is a conda environment if it has a conda-meta, activated or not (the rows
// "conda environment, not activated" and "venv of a conda environment's Python", docs/setups.md).
void conda(Walk* walk) {
  const Interpreter& program = *walk->query.program;
  if (!program.is_python() || walk->machine.privileged()) return;
  for (const char* prefix : {program.prefix, program.base_prefix}) {
    const char* meta = walk->arena->join(prefix, "conda-meta");
    const bool is_conda = meta != nullptr && is_folder(meta);
    if (is_conda && !walk->root({RootKind::conda, prefix})) return;
    if (program.prefix == program.base_prefix) return;
  }
}

// A program that is not Python, even if it embeds it, takes the environments that the user has
// activated (the rows "Toolkit 13.5 and a venv with wheel 12.9; C++ program, venv activated" and
// "C++ program built by the user, conda environment activated"; for PYTHONPATH
// tests/setups/test_order.py).
void activated(Walk* walk) {
  if (walk->query.program->is_interpreter()) return;
  each_pythonpath_folder(walk->machine, walk->arena, visit_packages, walk);
  const char* venv = walk->machine.variable("VIRTUAL_ENV");
  if (venv != nullptr && !walk->ended)
    each_packages_folder(venv, walk->arena, visit_packages, walk);
  const char* conda = walk->machine.variable("CONDA_PREFIX");
  if (walk->ended || conda == nullptr || *conda != '/' || !is_folder(conda)) return;
  if (!walk->root({RootKind::conda, conda})) return;
  each_packages_folder(
      conda, walk->arena,
      [](const char* path, bool, void* argument) {
        return visit_path<RootKind::site_packages, false>(path, argument);
      },
      walk);
}

// In their order. Each is an environment.
constexpr char kToolkitVariables[][20] = {"CUDA_PATH",        "CUDA_HOME",
                                          "CUDA_ROOT",        "CUDATOOLKIT_HOME",
                                          "CUDAToolkit_ROOT", "NVHPC_CUDA_HOME"};

void toolkit_variables(Walk* walk) {
  for (const auto& name : kToolkitVariables) {
    const char* path = walk->machine.variable(name);
    if (!walk->root({RootKind::toolkit, path, true, false, nullptr, name})) return;
  }
}

void visit_cached(const char* path, void* walk) {
  visit_path<RootKind::cached_file, false>(path, walk);
}

// One environment.
void system(Walk* walk) {
  const char* root = walk->machine.root();
  const bool dynamic = walk->query.file_prefix != nullptr;
  if (dynamic) each_cached_library(root, walk->query.file_prefix, walk->arena, visit_cached, walk);
  if (dynamic) walk->root({RootKind::system, root, false});
  if (!walk->query.from_driver && !walk->ended) {
    each_system_toolkit(walk->query.absent, root, walk->arena, visit_path<RootKind::toolkit, false>,
                        walk);
  }
  if (!dynamic) walk->root({RootKind::system, root, false});
}

}  // namespace

void each_root(const Machine& machine, const RootQuery& query, SearchTier tier, Arena* arena,
               RootVisitor visit, void* argument) {
  Walk walk{machine, query, arena, visit, argument};
  switch (tier) {
    case SearchTier::variable:
    case SearchTier::loaded:
      return;
    case SearchTier::library_path:
      return each_library_path_folder(machine, query.program, arena, visit_library_path, &walk);
    case SearchTier::system:
      return system(&walk);
    default:
      break;
  }
  if (query.from_driver) return;
  switch (tier) {
    case SearchTier::rpath:
      return run_path(&walk, RunPath::rpath);
    case SearchTier::runpath:
      return run_path(&walk, RunPath::runpath);
    case SearchTier::caller:
      return callers(&walk);
    case SearchTier::python:
      return python(&walk);
    case SearchTier::conda:
      return conda(&walk);
    case SearchTier::activated:
      return activated(&walk);
    default:
      return toolkit_variables(&walk);
  }
}

const char* differing_toolkit_variables(const Machine& machine, Arena* arena) {
  const char* first = nullptr;
  const char* path = nullptr;
  for (const auto& name : kToolkitVariables) {
    const char* other = machine.variable(name);
    if (other == nullptr) continue;
    if (path != nullptr && !same_folder(path, other, arena)) {
      return arena->format(
          "%s=%s and %s=%s name different toolkits: %s goes first (unset one of them)", first, path,
          name, other, first);
    }
    if (path == nullptr) {
      first = name;
      path = other;
    }
  }
  return nullptr;
}

}  // namespace anycuda
