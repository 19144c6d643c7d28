// The finder on real parts: NVIDIA's wheels, a toolkit made of them, this computer's toolkit.
#include <filesystem>

#include "tests/compat/find_machine.h"
#include "tests/support/pieces.h"

namespace anycuda::compat {
namespace {

using test::Pieces;
using testing::HasSubstr;

namespace fs = std::filesystem;

class FindParts : public FinderTest {
 protected:
  // The piece's folder is a site-packages, with one wheel in it.
  void install(const std::string& piece) {
    set("PYTHONPATH", Pieces::of_this_build().folder(piece).string());
  }
  void expect_in_wheel(const Piece& piece, const std::string& of) {
    const Located located = Finder().find(piece);
    EXPECT_EQ(located.where, Found::wheel) << of;
    EXPECT_THAT(located.path, HasSubstr(Pieces::of_this_build().folder(of).string())) << of;
    EXPECT_TRUE(fs::exists(located.path)) << located.path;
  }
};

TEST_F(FindParts, TheRuntimeAndItsHeadersInEveryWheel) {
  const std::vector<std::string> wheels = Pieces::of_this_build().names("cudart-");
  if (wheels.empty()) GTEST_SKIP() << Pieces::of_this_build().why_missing("cudart-12.9");
  for (const std::string& wheel : wheels) {
    install(wheel);
    expect_in_wheel(dynamic("cudart"), wheel);
    expect_in_wheel(headers("cudart"), wheel);
    const std::string major = wheel.substr(7, 2);
    EXPECT_THAT(Finder().find(dynamic("cudart")).file, HasSubstr(".so." + major)) << wheel;
  }
}

TEST_F(FindParts, TheCompilersInEveryWheel) {
  for (const char* name : {"nvrtc", "nvJitLink"}) {
    const std::string prefix = name == std::string("nvrtc") ? "nvrtc-" : "nvjitlink-";
    const std::vector<std::string> wheels = Pieces::of_this_build().names(prefix);
    if (wheels.empty()) GTEST_SKIP() << Pieces::of_this_build().why_missing(prefix + "12.9");
    for (const std::string& wheel : wheels) {
      install(wheel);
      expect_in_wheel(dynamic(name), wheel);
      expect_in_wheel(headers(name), wheel);
      if (prefix == "nvrtc-") expect_in_wheel(dynamic("nvrtc-builtins"), wheel);
    }
  }
}

TEST_F(FindParts, TheCompilersHeadersInEveryWheel) {
  const std::vector<std::string> wheels = Pieces::of_this_build().names("crt-");
  if (wheels.empty()) GTEST_SKIP() << Pieces::of_this_build().why_missing("crt-12.9");
  for (const std::string& wheel : wheels) {
    install(wheel);
    expect_in_wheel(headers("nvcc"), wheel);
  }
}

TEST_F(FindParts, AToolkitInCudaPath) {
  for (const char* name : {"nvcc-11.8", "nvcc-12.4", "nvcc-13.0"}) {
    const Pieces& pieces = Pieces::of_this_build();
    if (!pieces.has(name)) GTEST_SKIP() << pieces.why_missing(name);
    const std::string root = pieces.folder(name).string();
    set("CUDA_PATH", root);
    EXPECT_EQ(found(program("nvcc")), root + "/bin/nvcc");
    EXPECT_EQ(found(program("ptxas")), root + "/bin/ptxas");
    EXPECT_EQ(found(program("cicc")), root + "/nvvm/bin/cicc");
    EXPECT_EQ(found(piece_named(Kind::bitcode_library, "libdevice")),
              root + "/nvvm/libdevice/libdevice.10.bc");
    EXPECT_EQ(found(piece_named(Kind::static_library, "cudadevrt")),
              root + "/lib64/libcudadevrt.a");
    EXPECT_EQ(found(headers("cudart")), root + "/include");
    EXPECT_EQ(found(headers("nvcc")), root + "/include");
    EXPECT_THAT(found(dynamic("cudart")), HasSubstr(root + "/lib64/libcudart.so.1"));
  }
}

TEST_F(FindParts, TheDriversLibraryInTheSystem) {
  for (const char* name : {"driver-535", "driver-550"}) {
    const Pieces& pieces = Pieces::of_this_build();
    if (!pieces.has(name)) GTEST_SKIP() << pieces.why_missing(name);
    const std::string link = "system/usr/lib/x86_64-linux-gnu/libcuda.so.1";
    fs::remove(path(link));
    machine.tree.link(link, (pieces.folder(name) / "libcuda.so.1").string());
    EXPECT_EQ(found(dynamic("cuda")), path(link));
  }
}

TEST_F(FindParts, OneOfOurStubsIsNoRuntime) {
  const std::string stub = std::string(ANYCUDA_STUBS) + "/libcudart_stub.so";
  if (!fs::exists(stub)) GTEST_SKIP() << "the stubs are not built";
  lead("CUDA_PATH", "toolkit");
  machine.tree.link("toolkit/lib64/libcudart.so.13", stub);
  EXPECT_THAT(refusal(dynamic("cudart")).what(), HasSubstr("is a stub of anycuda's"));
}

// CUDA 13.0 as NVIDIA installs it: what a toolkit is made of, where the rows say.
TEST_F(FindParts, ThisComputersToolkit) {
  const std::string root = "/usr/local/cuda-13.0";
  if (!fs::exists(root + "/include/cuda.h")) GTEST_SKIP() << "no toolkit in " << root;
  set("CUDA_PATH", root);
  for (const char* name : {"cudart", "nvrtc", "nvJitLink", "cublas", "cusolver", "cufft", "curand",
                           "cusparse", "cupti"}) {
    for (const Kind kind : {Kind::dynamic_library, Kind::headers}) {
      const Located located = Finder().find(piece_named(kind, name));
      EXPECT_EQ(located.where, Found::toolkit_variable) << name;
      EXPECT_THAT(located.path, HasSubstr(root)) << name;
    }
  }
  for (const char* name : {"nvcc", "ptxas", "nvlink", "fatbinary", "bin2c", "cudafe++", "cicc"}) {
    EXPECT_THAT(found(program(name)), HasSubstr(root)) << name;
  }
  EXPECT_EQ(found(headers("cccl")), root + "/include/cccl");
  EXPECT_EQ(found(headers("nvtx")), root + "/include");
  EXPECT_EQ(found(piece_named(Kind::bitcode_library, "libdevice")),
            root + "/nvvm/libdevice/libdevice.10.bc");
}

// This computer's own system, whatever it has: every answer is a file that exists.
TEST_F(FindParts, ThisComputersSystem) {
  set("ANYCUDA_SYSTEM_ROOT", "");
  for (const Piece& piece : all_pieces()) {
    for (const Located& located : Finder::find_all(piece)) {
      EXPECT_EQ(located.where, Found::system) << located.path;
      EXPECT_TRUE(fs::exists(located.path)) << located.path;
    }
  }
  if (fs::exists("/usr/local/cuda/include/cuda_runtime.h")) {
    EXPECT_EQ(found(headers("cudart")), "/usr/local/cuda/include");
  }
}

}  // namespace
}  // namespace anycuda::compat
