// When the stubs open a library, and which one: beside others of its toolkit, and beside drop-ins.
#include "maths.h"

namespace anycuda::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Loading : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"call_cublas", "call_cublaslt", "call_cusolver", "call_cusparse"}) {
      if (const std::string why = why_not_there(library(program)); !why.empty())
        GTEST_SKIP() << why;
    }
  }
  // Of each release the wheels of one library.
  void install_both(const char* program) {
    for (const char* release : {"12.9", "13.5"}) install(&machine_, library(program), release);
  }
  // A real library, opened by its path, in a process that finds every drop-in before every real
  // library.
  ProcessResult among_dropins(const std::string& release, const std::string& file,
                              const std::string& call, const std::string& maps) {
    machine_.library_path(dropins());
    return machine_.run(
        {native("open_libraries"), "open:" + file_of(release, file), call, "maps:" + maps});
  }
  std::string file_of(const std::string& release, const std::string& file) const {
    return installed(machine_, release, file);
  }
  Machine machine_;
};

TEST_F(Loading, NothingOfCublasIsMappedBeforeTheFirstCall) {
  install_both("call_cublas");
  const ProcessResult result =
      machine_.run({patched("call_cublas-12"), "loaded:libcublas", "version", "loaded:libcublas."});
  const std::vector<std::string> all = lines(result);
  ASSERT_GE(all.size(), 3u) << result.describe();
  EXPECT_EQ(all.front(), "loaded: none");
  EXPECT_THAT(all.back(), HasSubstr("libcublas.so.13"));
}

TEST_F(Loading, TheNewestIsTakenWhereNothingIsLoaded) {
  install_both("call_cublaslt");
  const ProcessResult result = machine_.run({patched("call_cublaslt-12"), "version"});
  EXPECT_THAT(lines(result), Contains(HasSubstr("= version: 13")));
}

TEST_F(Loading, BesideALoadedCublasItsOwnCublasLtIsTaken) {
  install_both("call_cublaslt");
  const ProcessResult result =
      machine_.run({patched("call_cublaslt-13"), "open:" + file_of("12.9", "libcublas.so.12"),
                    "version", "loaded:libcublasLt"});
  const std::vector<std::string> all = lines(result);
  EXPECT_THAT(all, Contains(HasSubstr("= version: 1209")));
  EXPECT_THAT(all.back(), AllOf(HasSubstr("libcublasLt.so.12"), Not(HasSubstr(".so.13"))));
}

// cuSPARSE loads nothing of cuBLAS itself: what decides is the group that both are members of.
TEST_F(Loading, BesideALoadedCusparseTheCublasOfItsToolkitIsTaken) {
  install_both("call_cusparse");
  install_both("call_cublas");
  const ProcessResult result =
      machine_.run({patched("call_cublas-13"), "open:" + file_of("12.9", "libcusparse.so.12"),
                    "version", "loaded:libcublas"});
  const std::vector<std::string> all = lines(result);
  EXPECT_THAT(all, Contains(HasSubstr("= version: 0 1209")));
  EXPECT_THAT(all.back(), AllOf(HasSubstr("libcublas.so.12"), Not(HasSubstr(".so.13"))));
}

TEST_F(Loading, RealCublasAmongDropinsGetsTheCublasLtOfItsOwnMajor) {
  install_both("call_cublas");
  const ProcessResult result =
      among_dropins("12.9", "libcublas.so.12", "cublasCreate_v2", "libcublas");
  const std::vector<std::string> all = lines(result);
  EXPECT_THAT(all, Contains("cublasCreate_v2: 1")) << result.describe();
  EXPECT_THAT(all, Contains("mapped: " + file_of("12.9", "libcublasLt.so.12")));
  EXPECT_THAT(all, Not(Contains(HasSubstr("cu13/lib")))) << result.describe();
}

TEST_F(Loading, RealCusolverAmongDropinsGetsTheLibrariesOfItsOwnMajor) {
  install_both("call_cusolver");
  const ProcessResult result =
      among_dropins("12.9", "libcusolver.so.11", "cusolverSpCreate", "libcu");
  const std::vector<std::string> all = lines(result);
  EXPECT_THAT(all, Contains("cusolverSpCreate: 1")) << result.describe();
  EXPECT_THAT(all, Not(Contains(HasSubstr("cu13/lib")))) << result.describe();
}

}  // namespace
}  // namespace anycuda::test
