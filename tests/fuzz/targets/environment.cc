// SPDX-License-Identifier: Apache-2.0

// The variables that steer the search and the policy. Input: lines, the value of one variable each,
// in the order of kVariables below, then an interpreter's file, the name it was called by, and
// ANYCUDA_STUB_COMPAT; '@' in a value stands for the root of a small machine that has a bit of
// everything.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "compat/base/environment.h"
#include "compat/search/gather.h"
#include "compat/search/machine/interpreter.h"
#include "compat/search/machine/roots.h"
#include "compat/search/policy.h"
#include "loader/tables.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/lines.h"
#include "tests/support/unit/elf_image.h"
#include "tests/support/unit/ld_cache_image.h"

namespace {

using anycuda::fuzz::must;

constexpr const char* kVariables[] = {"ANYCUDA_COMPAT",
                                      "ANYCUDA_CROSS_MAJOR",
                                      "ANYCUDA_DRIVER_COMPAT",
                                      "LD_LIBRARY_PATH",
                                      "PYTHONPATH",
                                      "VIRTUAL_ENV",
                                      "CONDA_PREFIX",
                                      "CUDA_PATH",
                                      "CUDA_HOME",
                                      "HOME",
                                      "PATH",
                                      "ANYCUDA_TESTLIB"};

struct Machine : anycuda::fuzz::Folder {
  Machine() {
    for (const char* name : {"cuda/lib64/libtest.so.12", "conda/lib/libtest.so.12",
                             "conda/lib/python3.11/site-packages/nvidia/test_runtime/lib/"
                             "libtest.so.12",
                             "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libtest.so.12",
                             "home/.local/lib/python3.11/site-packages/nvidia/cu13/lib/"
                             "libtest.so.12",
                             "system/usr/local/cuda-12.9/lib64/libtest.so.12",
                             "system/usr/lib/libtest.so.12", "a b/libtest.so.12"}) {
      file(name, anycuda::unit::ElfImage().bytes());
    }
    file("broken/libtest.so.13", "not a library");
    file("broken/libtest.so", "");
    file("venv/pyvenv.cfg", "include-system-site-packages = false\n");
    file("venv/bin/python3.11", "");
    file("system/etc/ld.so.cache",
         anycuda::unit::new_format({{"libtest.so.12", "/usr/lib/libtest.so.12"},
                                    {"libtest.so.13", "/nowhere/libtest.so.13"}}));
    link("loop", "loop");
    link("links/libtest.so.12", "../cuda/lib64/libtest.so.12");
    link("links/libtest.so.13", "libtest.so.13");
    mkfifo(path("broken/libtest.so.11.2").c_str(), 0600);
    setenv("ANYCUDA_SYSTEM_ROOT", path("system").c_str(), 1);
    unsetenv("ANYCUDA_LOG");
  }
};

std::string expanded(const std::string& line, const std::string& root) {
  std::string value;
  for (const char c : line) c == '@' ? value += root : value += c;
  return value;
}

// Is the value one that means something? Stated a second time, the simple way.
template <typename... Values>
bool is_one_of(const char* variable, Values... values) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' || ((std::strcmp(text, values) == 0) || ...);
}

void check_policy() {
  const bool mode = is_one_of(kVariables[0], "strict", "best_effort", "off");
  const bool cross = is_one_of(kVariables[1], "adapt", "reject");
  const bool driver = is_one_of(kVariables[2], "assume_forward_compat");
  const bool stub_mode = is_one_of("ANYCUDA_STUB_COMPAT", "strict", "best_effort", "off");
  const anycuda::Policy policy = anycuda::read_policy();
  must(policy.wrong_count == !mode + !stub_mode + !cross + !driver,
       "every wrong setting is reported, no other");
  must(cross || policy.cross_major == anycuda::CrossMajor::reject, "a wrong one allows nothing");
  must(driver || !policy.forward_compatibility, "a wrong one declares nothing");
}

using Paths = std::vector<std::string>;

bool check_root(const anycuda::Root& root, void* tier) {
  must(root.path != nullptr, "a root has a name");
  const bool absolute = root.path[0] == '/';
  must(absolute || *static_cast<anycuda::SearchTier*>(tier) == anycuda::SearchTier::toolkit,
       "a root has its whole path, but for what a toolkit variable gives");
  return true;
}

Paths candidates() {
  Paths paths;
  anycuda::Arena arena;
  const anycuda::Request request{&anycuda::kLibrary, &anycuda::kTables, anycuda::kUnversionedCaller,
                                 reinterpret_cast<const void*>(&check_policy)};
  const anycuda::Machine machine{};
  anycuda::Report report(request);
  anycuda::Gathered gathered(&report, machine, &arena);
  for (int tier = 0; tier < anycuda::kTierCount; ++tier) {
    anycuda::gather_tier(&gathered, static_cast<anycuda::SearchTier>(tier),
                         {[](void*) { return false; }, nullptr});
  }
  for (const anycuda::Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    const bool named = c->tier == anycuda::SearchTier::variable;
    must(c->path[0] == '/' || (named && c->image.state == anycuda::FileState::not_absolute),
         "a candidate has its whole path");
    paths.emplace_back(c->path);
  }
  return paths;
}

void check_places(const anycuda::Interpreter& program) {
  static anycuda::Arena arena;
  arena.rewind(0);
  const anycuda::Machine machine;
  for (const char* prefix : {"libtest.so", static_cast<const char*>(nullptr)}) {
    const anycuda::RootQuery query{&program, reinterpret_cast<const void*>(&check_policy), prefix};
    for (int i = 0; i < anycuda::kTierCount; ++i) {
      auto tier = static_cast<anycuda::SearchTier>(i);
      anycuda::each_root(machine, query, tier, &arena, check_root, &tier);
    }
  }
}

void check_interpreter(const std::string& executable, const std::string& called) {
  static anycuda::Arena arena;
  arena.rewind(0);
  anycuda::ProcessNames names;
  names.executable = executable.c_str();
  names.started = called.c_str();
  names.first_folder = "/";
  const anycuda::Interpreter python = anycuda::interpreter_of(names, &arena);
  must(python.version != nullptr, "a version is a text");
  must(!python.is_python() || executable.find("/python") != std::string::npos,
       "a program with another name is not a Python");
  must(python.is_python() == (python.prefix != nullptr), "a Python has both prefixes");
  check_places(python);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Machine machine;
  static const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  anycuda::fuzz::Lines lines(data, size);
  for (const char* variable : kVariables) {
    const std::string value = expanded(lines.next(), machine.root());
    setenv(variable, value.c_str(), 1);
  }
  const std::string executable = expanded(lines.next(), machine.root());
  const std::string called = expanded(lines.next(), machine.root());
  setenv("ANYCUDA_STUB_COMPAT", lines.next().c_str(), 1);
  // There is something to be found in the current folder too, and it must not be.
  must(chdir(machine.root().c_str()) == 0, "the machine can be gone to");
  check_policy();
  check_places({});
  must(candidates() == candidates(), "the same variables find the same files");
  check_interpreter(executable, called);
  must(fchdir(here) == 0, "and left again");
  return 0;
}
