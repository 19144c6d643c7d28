// SPDX-License-Identifier: Apache-2.0

// When the stubs open a library, and which one: beside others of its toolkit, and beside drop-ins.
#include "maths.h"

namespace anycuda::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
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
  std::vector<std::string> among_dropins(const std::string& release, const std::string& file,
                                         const std::string& call, const std::string& maps) {
    machine_.library_path(dropins());
    return answers(machine_.run(
        {native("open_libraries"), "open:" + file_of(release, file), call, "maps:" + maps}));
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
  const std::vector<std::string> all = answers(result);
  ASSERT_GE(all.size(), 3u) << result.describe();
  EXPECT_EQ(all.front(), "loaded: none");
  EXPECT_THAT(all.back(), HasSubstr("libcublas.so.13"));
}

TEST_F(Loading, NothingLoaded_NewestIsTaken) {
  install_both("call_cublaslt");
  const ProcessResult result = machine_.run({patched("call_cublaslt-12"), "version"});
  EXPECT_THAT(answers(result), Contains(HasSubstr("= version: 13")));
}

TEST_F(Loading, BesideALoadedCublas_ItsCublasLtIsTaken) {
  install_both("call_cublaslt");
  const ProcessResult result =
      machine_.run({patched("call_cublaslt-13"), "open:" + file_of("12.9", "libcublas.so.12"),
                    "version", "loaded:libcublasLt"});
  const std::vector<std::string> all = answers(result);
  EXPECT_THAT(all, Contains(HasSubstr("= version: 1209")));
  EXPECT_THAT(all.back(), AllOf(HasSubstr("libcublasLt.so.12"), Not(HasSubstr(".so.13"))));
}

// cuSPARSE loads nothing of cuBLAS itself: what decides is the group that both are members of.
TEST_F(Loading, BesideALoadedCusparse_CublasOfItsToolkitIsTaken) {
  install_both("call_cusparse");
  install_both("call_cublas");
  const ProcessResult result =
      machine_.run({patched("call_cublas-13"), "open:" + file_of("12.9", "libcusparse.so.12"),
                    "version", "loaded:libcublas"});
  const std::vector<std::string> all = answers(result);
  EXPECT_THAT(all, Contains(HasSubstr("= version: 0 1209")));
  EXPECT_THAT(all.back(), AllOf(HasSubstr("libcublas.so.12"), Not(HasSubstr(".so.13"))));
}

// libcublas.so.12 has a DT_RUNPATH: LD_LIBRARY_PATH comes before it, so the library binds to the
// drop-in.
TEST_F(Loading, RealCublasAmongDropins_GetsCublasLtOfItsMajor) {
  install_both("call_cublas");
  const std::vector<std::string> all =
      among_dropins("12.9", "libcublas.so.12", "text:cublasGetStatusString", "libcublas");
  EXPECT_THAT(all, Contains("cublasGetStatusString: the library was not initialized"));
  EXPECT_THAT(all, Contains(HasSubstr("/dropin/libcublasLt.so.12")));
  EXPECT_THAT(all, Contains("mapped: " + file_of("12.9", "libcublasLt.so.12")));
  EXPECT_THAT(all, Not(Contains(HasSubstr("libcublasLt.so.13"))));
}

TEST_F(Loading, RealCublasAmongDropins_NeverGetsAnotherMajorsCublasLt) {
  install_both("call_cublas");
  machine_.remove(file_of("12.9", "libcublasLt.so.12"));
  const std::vector<std::string> all =
      among_dropins("12.9", "libcublas.so.12", "text:cublasGetStatusString", "libcublas");
  EXPECT_THAT(all, Contains(HasSubstr("/dropin/libcublasLt.so.12")));
  EXPECT_THAT(all, Not(Contains(HasSubstr("libcublasLt.so.13"))));
}

// libcusparse.so.12 is a SONAME of CUDA 12 and of CUDA 13.
TEST_F(Loading, RealCusolverAmongDropins_GetsCusparseOfItsMajor) {
  install_both("call_cusolver");
  const std::vector<std::string> all =
      among_dropins("12.9", "libcusolver.so.11", "create:cusolverSpCreateCsrcholInfo", "libcu");
  EXPECT_THAT(all, Contains("cusolverSpCreateCsrcholInfo: 0"));
  EXPECT_THAT(all, Contains(HasSubstr("/dropin/libcusparse.so.12")));
  EXPECT_THAT(all, Contains("mapped: " + file_of("12.9", "libcusparse.so.12")));
  EXPECT_THAT(all, Not(Contains(HasSubstr("/cu13/lib"))));
}

TEST_F(Loading, RealCusolverAmongDropins_NeverGetsAnotherMajorsCusparse) {
  install_both("call_cusolver");
  machine_.remove(file_of("12.9", "libcusparse.so.12"));
  const std::vector<std::string> all =
      among_dropins("12.9", "libcusolver.so.11", "create:cusolverSpCreateCsrcholInfo", "libcu");
  EXPECT_THAT(all, Contains(HasSubstr("/dropin/libcusparse.so.12")));
  EXPECT_THAT(all, Not(Contains(HasSubstr("/cu13/lib"))));
}

}  // namespace
}  // namespace anycuda::test
