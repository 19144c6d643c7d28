// SPDX-License-Identifier: Apache-2.0

// Where CUDA may be installed: the roots of each search tier, and their order.
#include "compat/search/machine/roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Interpreter kProgram;
const RootQuery kLibraryQuery{&kProgram, nullptr, "libtest.so", false};
const RootQuery kHeadersQuery{&kProgram, nullptr, nullptr, false};
const RootQuery kDriverQuery{nullptr, nullptr, "libtest.so", true};

class Roots : public testing::Test {
 protected:
  // The roots below this machine's folder, as they are visited.
  std::vector<std::string> roots(SearchTier tier, const RootQuery& query = kLibraryQuery,
                                 int most = 1000) {
    Visits visits{machine_.tree.root(), {}, most};
    each_root(Machine(), query, tier, &arena_, visit, &visits);
    return visits.paths;
  }
  std::string folder(const std::string& name) { return machine_.tree.folder(name); }

  unit::EmptyMachine machine_;

 private:
  struct Visits {
    std::string top;
    std::vector<std::string> paths;
    int most;
  };
  static bool visit(const Root& root, void* argument) {
    auto* visits = static_cast<Visits*>(argument);
    const std::string path = root.path;
    if (path.compare(0, visits->top.size(), visits->top) != 0) return true;
    // '+': it begins an environment.
    visits->paths.push_back((root.begins ? "+" : "") + path.substr(visits->top.size() + 1));
    return --visits->most != 0;
  }
  Arena arena_;
};

TEST_F(Roots, OfTheSystemAreTheChosenToolkitThenTheNewest) {
  for (const char* name : {"cuda-12.9", "cuda-9.2", "cuda", "cuda-12.10", "cuda-13"}) {
    folder(std::string("system/usr/local/") + name);
  }
  EXPECT_THAT(roots(SearchTier::system),
              ElementsAre("system", "system/usr/local/cuda", "system/usr/local/cuda-13",
                          "system/usr/local/cuda-12.10", "system/usr/local/cuda-12.9",
                          "system/usr/local/cuda-9.2", "system/opt/cuda"));
  EXPECT_THAT(roots(SearchTier::system, kHeadersQuery).back(), "system");
  EXPECT_THAT(roots(SearchTier::system, kDriverQuery), ElementsAre("system"));
}

// A folder may have tens of thousands that are called like toolkits.
TEST_F(Roots, OfVeryManyToolkitsTheNewestCount) {
  constexpr int kMost = 256;
  for (int i = 0; i < kMost + 100; ++i) {
    folder("system/usr/local/cuda-12." + std::to_string(i * 7 % (kMost + 100)));
  }
  folder("system/usr/local/cuda");
  const std::vector<std::string> found = roots(SearchTier::system, kHeadersQuery);
  ASSERT_EQ(found.size(), kMost + 2u);  // and opt/cuda, and the system itself
  EXPECT_EQ(found[0], "system/usr/local/cuda");
  for (int i = 1; i < kMost; ++i) {
    EXPECT_EQ(found[static_cast<std::size_t>(i)],
              "system/usr/local/cuda-12." + std::to_string(kMost + 100 - i));
  }
}

// The order of equal versions must not depend on the file system.
TEST_F(Roots, OfEqualVersionsHaveAnOrderToo) {
  for (const char* name : {"cuda-old", "cuda-new", "cuda-12.0", "cuda-12", "cuda12.0"}) {
    folder(std::string("system/usr/local/") + name);
  }
  EXPECT_THAT(roots(SearchTier::system, kHeadersQuery),
              ElementsAre("system/usr/local/cuda12.0", "system/usr/local/cuda-12.0",
                          "system/usr/local/cuda-12", "system/usr/local/cuda-old",
                          "system/usr/local/cuda-new", "system/opt/cuda", "system"));
}

TEST_F(Roots, OfVersionsAreNumbersWithoutASign) {
  for (const char* name : {"cuda-12.9-1", "cuda-12.9", "cuda-12.9-2"}) {
    folder(std::string("system/usr/local/") + name);
  }
  EXPECT_THAT(roots(SearchTier::system, kHeadersQuery),
              ElementsAre("system/usr/local/cuda-12.9-2", "system/usr/local/cuda-12.9-1",
                          "system/usr/local/cuda-12.9", "system/opt/cuda", "system"));
}

TEST_F(Roots, OfTheSystemAreTheHpcSdksToolkitsToo) {
#if defined(__x86_64__)
  const std::string sdk = "system/opt/nvidia/hpc_sdk/Linux_x86_64";
#else
  const std::string sdk = "system/opt/nvidia/hpc_sdk/Linux_aarch64";
#endif
  for (const char* name : {"/24.9/cuda/12.6", "/24.9/cuda/11.8", "/24.11/cuda/12.6",
                           "/24.9/cuda/bin", "/24.9/compilers"}) {
    folder(sdk + name);
  }
  EXPECT_THAT(roots(SearchTier::system),
              ElementsAre("system", "system/opt/cuda", sdk + "/24.11/cuda/12.6",
                          sdk + "/24.9/cuda/12.6", sdk + "/24.9/cuda/11.8"));
}

TEST_F(Roots, OfVariablesComeInTheOrderOfTheVariables) {
  std::vector<std::unique_ptr<unit::ScopedVariable>> set;
  const char* const names[] = {"NVHPC_CUDA_HOME", "CUDAToolkit_ROOT", "CUDATOOLKIT_HOME",
                               "CUDA_ROOT",       "CUDA_HOME",        "CUDA_PATH"};
  for (const char* name : names) {
    set.push_back(std::make_unique<unit::ScopedVariable>(name, folder(name).c_str()));
  }
  EXPECT_THAT(roots(SearchTier::toolkit),
              ElementsAre("+CUDA_PATH", "+CUDA_HOME", "+CUDA_ROOT", "+CUDATOOLKIT_HOME",
                          "+CUDAToolkit_ROOT", "+NVHPC_CUDA_HOME"));
  EXPECT_THAT(roots(SearchTier::toolkit, kDriverQuery), IsEmpty());
}

TEST_F(Roots, VisitorCanEndTheVisit) {
  const unit::ScopedVariable path("CUDA_PATH", folder("path").c_str());
  const unit::ScopedVariable home("CUDA_HOME", folder("home").c_str());
  EXPECT_THAT(roots(SearchTier::toolkit, kLibraryQuery, 1), ElementsAre("+path"));
  folder("system/usr/local/cuda-12.9");
  EXPECT_THAT(roots(SearchTier::system, kLibraryQuery, 1), ElementsAre("system"));
}

TEST_F(Roots, OfTheLibraryPathAreOneEnvironment) {
  const std::string value = machine_.tree.path("a") + ":" + machine_.tree.path("b");
  const unit::ScopedVariable set("LD_LIBRARY_PATH", value.c_str());
  EXPECT_THAT(roots(SearchTier::library_path), ElementsAre("+a", "b"));
  EXPECT_THAT(roots(SearchTier::library_path, kDriverQuery), ElementsAre("+a", "b"));
}

TEST_F(Roots, Program_HasTheActivatedEnvironment) {
  folder("packages");
  const std::string entries = ":relative:.:" + machine_.tree.path("packages");
  const unit::ScopedVariable path("PYTHONPATH", entries.c_str());
  folder("venv/lib/python3.11/site-packages");
  folder("conda/lib/python3.12/site-packages");
  const unit::ScopedVariable venv("VIRTUAL_ENV", machine_.tree.path("venv").c_str());
  const unit::ScopedVariable conda("CONDA_PREFIX", machine_.tree.path("conda").c_str());
  EXPECT_THAT(roots(SearchTier::activated),
              ElementsAre("+packages", "+venv/lib/python3.11/site-packages", "+conda",
                          "conda/lib/python3.12/site-packages"));
  EXPECT_THAT(roots(SearchTier::activated, kDriverQuery), IsEmpty());
  EXPECT_THAT(roots(SearchTier::conda), IsEmpty());
}

TEST_F(Roots, Python_IgnoresTheActivatedEnvironment) {
  folder("venv/lib/python3.11/site-packages");
  folder("conda");
  folder("base");
  const std::string base = machine_.tree.path("base");
  const unit::ScopedVariable venv("VIRTUAL_ENV", machine_.tree.path("venv").c_str());
  const unit::ScopedVariable conda("CONDA_PREFIX", machine_.tree.path("conda").c_str());
  Interpreter python;
  python.prefix = python.base_prefix = base.c_str();
  const RootQuery query{&python, nullptr, "libtest.so", false};
  EXPECT_THAT(roots(SearchTier::activated, query), IsEmpty());
  EXPECT_THAT(roots(SearchTier::conda, query), IsEmpty());
}

TEST_F(Roots, APrefixWithACondaMetaIsConda) {
  folder("conda/conda-meta");
  folder("venv");
  const std::string venv = machine_.tree.path("venv");
  const std::string conda = machine_.tree.path("conda");
  Interpreter python;
  python.prefix = venv.c_str();
  python.base_prefix = conda.c_str();
  python.closed = true;
  const RootQuery query{&python, nullptr, "libtest.so", false};
  EXPECT_THAT(roots(SearchTier::conda, query), ElementsAre("+conda"));
}

TEST_F(Roots, CondasPrefixIsAFolderOrNone) {
  for (const std::string& prefix :
       {machine_.tree.path("gone"), machine_.tree.file("file", "text"),
        machine_.tree.root() + "/" + std::string(100000, 'c'), std::string("relative")}) {
    const unit::ScopedVariable conda("CONDA_PREFIX", prefix.c_str());
    EXPECT_THAT(roots(SearchTier::activated), IsEmpty()) << prefix.substr(0, 80);
  }
}

}  // namespace
}  // namespace anycuda
