// SPDX-License-Identifier: Apache-2.0

// The finder on real parts: NVIDIA's wheels, and toolkits made of them.
#include <filesystem>

#include "tests/compat/find_machine.h"
#include "tests/support/artifacts.h"

namespace anycuda::compat {
namespace {

using test::Artifacts;
using testing::HasSubstr;

namespace fs = std::filesystem;

class FindParts : public FinderTest {
 protected:
  // The artifact's folder is a site-packages, with one wheel in it.
  void install(const std::string& artifact) {
    set("PYTHONPATH", Artifacts::of_this_build().folder(artifact).string());
  }
  void expect_in_wheel(const Component& component, const std::string& of) {
    const Located located = Finder().find(component);
    EXPECT_EQ(located.where, Found::wheel) << of;
    EXPECT_THAT(located.path, HasSubstr(Artifacts::of_this_build().folder(of).string())) << of;
    EXPECT_TRUE(fs::exists(located.path)) << located.path;
  }
};

TEST_F(FindParts, TheRuntimeAndItsHeadersInEveryWheel) {
  const std::vector<std::string> wheels = Artifacts::of_this_build().names("cudart-");
  if (wheels.empty()) GTEST_SKIP() << Artifacts::of_this_build().why_missing("cudart-12.9");
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
    const std::vector<std::string> wheels = Artifacts::of_this_build().names(prefix);
    if (wheels.empty()) GTEST_SKIP() << Artifacts::of_this_build().why_missing(prefix + "12.9");
    for (const std::string& wheel : wheels) {
      install(wheel);
      expect_in_wheel(dynamic(name), wheel);
      expect_in_wheel(headers(name), wheel);
      if (prefix == "nvrtc-") expect_in_wheel(dynamic("nvrtc-builtins"), wheel);
    }
  }
}

TEST_F(FindParts, TheCompilersHeadersInEveryWheel) {
  const std::vector<std::string> wheels = Artifacts::of_this_build().names("crt-");
  if (wheels.empty()) GTEST_SKIP() << Artifacts::of_this_build().why_missing("crt-12.9");
  for (const std::string& wheel : wheels) {
    install(wheel);
    expect_in_wheel(headers("nvcc"), wheel);
  }
}

TEST_F(FindParts, AToolkitInCudaPath) {
  for (const char* name : {"nvcc-11.8", "nvcc-12.4", "nvcc-13.0"}) {
    const Artifacts& artifacts = Artifacts::of_this_build();
    if (!artifacts.has(name)) GTEST_SKIP() << artifacts.why_missing(name);
    const std::string root = artifacts.folder(name).string();
    set("CUDA_PATH", root);
    EXPECT_EQ(found(program("nvcc")), root + "/bin/nvcc");
    EXPECT_EQ(found(program("ptxas")), root + "/bin/ptxas");
    EXPECT_EQ(found(program("cicc")), root + "/nvvm/bin/cicc");
    EXPECT_EQ(found(component_named(Kind::bitcode_library, "libdevice")),
              root + "/nvvm/libdevice/libdevice.10.bc");
    EXPECT_EQ(found(component_named(Kind::static_library, "cudadevrt")),
              root + "/lib64/libcudadevrt.a");
    EXPECT_EQ(found(headers("cudart")), root + "/include");
    EXPECT_EQ(found(headers("nvcc")), root + "/include");
    EXPECT_THAT(found(dynamic("cudart")), HasSubstr(root + "/lib64/libcudart.so.1"));
  }
}

TEST_F(FindParts, TheDriversLibraryInTheSystem) {
  for (const char* name : {"driver-535", "driver-550"}) {
    const Artifacts& artifacts = Artifacts::of_this_build();
    if (!artifacts.has(name)) GTEST_SKIP() << artifacts.why_missing(name);
    const std::string link = "system/usr/lib/x86_64-linux-gnu/libcuda.so.1";
    fs::remove(path(link));
    machine.tree.link(link, (artifacts.folder(name) / "libcuda.so.1").string());
    EXPECT_EQ(found(dynamic("cuda")), path(link));
  }
}

TEST_F(FindParts, StubIsNotARuntime) {
  const std::string stub = std::string(ANYCUDA_STUBS) + "/libcudart_stub.so";
  if (!fs::exists(stub)) GTEST_SKIP() << "the stubs are not built";
  lead("CUDA_PATH", "toolkit");
  machine.tree.link("toolkit/lib64/libcudart.so.13", stub);
  EXPECT_THAT(refusal(dynamic("cudart")).what(), HasSubstr("is an anycuda stub"));
}

// CUDA 13.0 as NVIDIA's installer leaves it in a folder of this computer: the real parts that were
// fetched. The others have their names from an installation of 13.0: libraries with only
// the SONAME, and empty headers.
class InstalledToolkit : public FindParts {
 protected:
  void SetUp() override {
    const Artifacts& artifacts = Artifacts::of_this_build();
    for (const char* name : {"nvcc-13.0", "nvrtc-13.0", "nvjitlink-13.0"}) {
      if (!artifacts.has(name)) GTEST_SKIP() << artifacts.why_missing(name);
    }
    const fs::path top = path(root), inside = top / "targets/x86_64-linux";
    fs::create_directories(inside / "include");
    fs::create_directories(inside / "lib");
    machine.tree.link(root + "/include", "targets/x86_64-linux/include");
    machine.tree.link(root + "/lib64", "targets/x86_64-linux/lib");
    const fs::path nvcc = artifacts.folder("nvcc-13.0");
    machine.tree.link(root + "/bin", (nvcc / "bin").string());
    machine.tree.link(root + "/nvvm", (nvcc / "nvvm").string());
    link_all(nvcc / "include", inside / "include");
    link_all(nvcc / "lib64", inside / "lib");
    for (const char* name : {"nvrtc-13.0", "nvjitlink-13.0"}) {
      link_all(artifacts.folder(name) / "nvidia/cu13/include", inside / "include");
      link_all(artifacts.folder(name) / "nvidia/cu13/lib", inside / "lib");
    }
    for (const char* name : {"libcublas.so.13", "libcusolver.so.12", "libcufft.so.12",
                             "libcurand.so.10", "libcusparse.so.12", "libcupti.so.13"}) {
      library(root + "/targets/x86_64-linux/lib/" + name);
    }
    for (const char* name :
         {"cublas.h", "cublas_v2.h", "cusolver_common.h", "cusolverDn.h", "cufft.h", "curand.h",
          "cusparse.h", "cupti.h", "nvtx3/nvToolsExt.h", "cccl/thrust/version.h"}) {
      file(root + "/targets/x86_64-linux/include/" + name);
    }
  }
  static void link_all(const fs::path& from, const fs::path& into) {
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
      const fs::path link = into / entry.path().filename();
      if (!fs::exists(fs::symlink_status(link))) fs::create_symlink(entry.path(), link);
    }
  }
  const std::string root = "system/usr/local/cuda-13.0";
};

TEST_F(InstalledToolkit, IsFoundByItsVariable) {
  set("CUDA_PATH", path(root));
  for (const char* name : {"cudart", "nvrtc", "nvJitLink", "cublas", "cusolver", "cufft", "curand",
                           "cusparse", "cupti"}) {
    for (const Kind kind : {Kind::dynamic_library, Kind::headers}) {
      const Located located = Finder().find(component_named(kind, name));
      EXPECT_EQ(located.where, Found::toolkit_variable) << name;
      EXPECT_THAT(located.path, HasSubstr(path(root))) << name;
    }
  }
  for (const char* name : {"nvcc", "ptxas", "nvlink", "fatbinary", "bin2c", "cudafe++", "cicc"}) {
    EXPECT_THAT(found(program(name)), HasSubstr(path(root))) << name;
  }
  EXPECT_EQ(found(headers("cccl")), path(root + "/include/cccl"));
  EXPECT_EQ(found(headers("nvtx")), path(root + "/include"));
  EXPECT_EQ(found(component_named(Kind::bitcode_library, "libdevice")),
            path(root + "/nvvm/libdevice/libdevice.10.bc"));
}

TEST_F(InstalledToolkit, IsFoundInTheSystem) {
  machine.tree.link("system/usr/local/cuda", "cuda-13.0");
  int parts = 0;
  for (const Component& component : all_components()) {
    for (const Located& located : Finder::find_all(component)) {
      EXPECT_EQ(located.where, Found::system) << located.path;
      EXPECT_TRUE(fs::exists(located.path)) << located.path;
      EXPECT_THAT(located.path, HasSubstr(path("system"))) << component.name;
      ++parts;
    }
  }
  EXPECT_GT(parts, 20);
  EXPECT_EQ(found(headers("cudart")), path("system/usr/local/cuda/include"));
}

}  // namespace
}  // namespace anycuda::compat
