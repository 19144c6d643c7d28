// SPDX-License-Identifier: Apache-2.0
#include "tests/support/unit/environment.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/support/leave.h"

namespace anycuda::unit {

namespace fs = std::filesystem;

TempTree::TempTree() {
  std::string name = (fs::temp_directory_path() / "anycuda-unit-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  root_ = fs::canonical(name).string();
}

TempTree::~TempTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string TempTree::folder(const std::string& name) {
  fs::create_directories(path(name));
  return path(name);
}

std::string TempTree::file(const std::string& name, const std::string& content) {
  fs::create_directories(fs::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string TempTree::link(const std::string& name, const std::string& target) {
  fs::create_directories(fs::path(path(name)).parent_path());
  fs::create_symlink(target, path(name));
  return path(name);
}

std::string TempTree::fake(const std::string& library, const std::string& name) {
  return file(name, read_file(fake_library(library)));
}

std::string fake_library(const std::string& name) {
  return std::string(ANYCUDA_FAKES) + "/" + name;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ScopedVariable::ScopedVariable(const char* name, const char* value) : name_(name) {
  const char* before = std::getenv(name);
  was_set_ = before != nullptr;
  if (was_set_) before_ = before;
  if (value != nullptr) {
    setenv(name, value, 1);
  } else {
    unsetenv(name);
  }
}

ScopedVariable::~ScopedVariable() {
  if (was_set_) {
    setenv(name_.c_str(), before_.c_str(), 1);
  } else {
    unsetenv(name_.c_str());
  }
}

EmptyMachine::EmptyMachine() {
  for (const char* name :
       {"ANYCUDA_TESTLIB",    "ANYCUDA_TESTDRIVER",  "ANYCUDA_LOG",         "ANYCUDA_COMPAT",
        "ANYCUDA_API_COMPAT", "ANYCUDA_STUB_COMPAT", "ANYCUDA_CROSS_MAJOR", "ANYCUDA_DRIVER_COMPAT",
        "LD_LIBRARY_PATH",    "PYTHONPATH",          "PYTHONUSERBASE",      "PYTHONNOUSERSITE",
        "PYTHONHOME",         "VIRTUAL_ENV",         "CONDA_PREFIX",        "CUDA_PATH",
        "CUDA_HOME",          "CUDA_ROOT",           "CUDATOOLKIT_HOME",    "CUDAToolkit_ROOT",
        "NVHPC_CUDA_HOME"}) {
    variables_.push_back(std::make_unique<ScopedVariable>(name, nullptr));
  }
  variables_.push_back(
      std::make_unique<ScopedVariable>("ANYCUDA_SYSTEM_ROOT", tree.folder("system").c_str()));
}

std::string in_child(const std::function<void()>& body) {
  TempTree tree;
  const std::string log = tree.path("stderr");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) _exit(3);
    alarm(300);  // a deadlock ends as a failure
    body();
    std::fflush(nullptr);
    test::leave(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "the child ended with wait status " << status << "; it wrote:\n"
      << read_file(log);
  return read_file(log);
}

}  // namespace anycuda::unit
