// Where CUDA may be installed: the roots of each search tier, and their order.
#include "compat/search/machine/roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/unit/surroundings.h"

namespace anycuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr RootQuery kLibraryQuery{nullptr, "libtest.so", false};
constexpr RootQuery kHeadersQuery{nullptr, nullptr, false};
constexpr RootQuery kDriverQuery{nullptr, "libtest.so", true};

class Roots : public testing::Test {
 protected:
  // The roots below this machine's folder, as they are visited.
  std::vector<std::string> roots(SearchTier tier, const RootQuery& query = kLibraryQuery) {
    Visits visits{machine_.tree.root(), {}};
    each_root(Machine(), query, tier, &arena_, visit, &visits);
    return visits.paths;
  }
  std::string folder(const std::string& name) { return machine_.tree.folder(name); }

  unit::EmptyMachine machine_;

 private:
  struct Visits {
    std::string top;
    std::vector<std::string> paths;
  };
  static void visit(const Root& root, void* argument) {
    auto* visits = static_cast<Visits*>(argument);
    const std::string path = root.path;
    if (path.compare(0, visits->top.size(), visits->top) != 0) return;
    visits->paths.push_back(path.substr(visits->top.size() + 1));
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

TEST_F(Roots, OfVariablesComeInTheOrderOfTheVariables) {
  const unit::ScopedVariable home("CUDA_HOME", folder("home").c_str());
  const unit::ScopedVariable path("CUDA_PATH", folder("path").c_str());
  EXPECT_THAT(roots(SearchTier::toolkit), ElementsAre("path", "home"));
  EXPECT_THAT(roots(SearchTier::toolkit, kDriverQuery), IsEmpty());
}

TEST_F(Roots, OfTheEnvironmentArePackagesThenConda) {
  const unit::ScopedVariable python("PYTHONPATH", folder("site").c_str());
  const unit::ScopedVariable conda("CONDA_PREFIX", folder("conda").c_str());
  EXPECT_THAT(roots(SearchTier::environment), ElementsAre("site", "conda"));
  EXPECT_THAT(roots(SearchTier::environment, kDriverQuery), IsEmpty());
}

TEST_F(Roots, CondasPrefixIsAFolderOrNone) {
  for (const std::string& prefix :
       {machine_.tree.path("gone"), machine_.tree.file("file", "text"),
        machine_.tree.root() + "/" + std::string(100000, 'c'), std::string("relative")}) {
    const unit::ScopedVariable conda("CONDA_PREFIX", prefix.c_str());
    EXPECT_THAT(roots(SearchTier::environment), IsEmpty()) << prefix.substr(0, 80);
  }
}

}  // namespace
}  // namespace anycuda
