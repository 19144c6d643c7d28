// SPDX-License-Identifier: Apache-2.0

// The catalogue's rows, and its look-ups.
#include "anycuda/compat/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "anycuda/compat/errors.h"

namespace anycuda::compat {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return result;
}

std::vector<std::string> files_of(const Component& component) {
  return {component.files.begin(), component.files.end()};
}

std::string refusal(Kind kind, const std::string& name) {
  try {
    ADD_FAILURE() << name << " is " << component_named(kind, name).name;
  } catch (const UnknownNameError& error) {
    return error.what();
  }
  return "";
}

const Component& dynamic(const char* name) { return component_named(Kind::dynamic_library, name); }
const Component& headers(const char* name) { return component_named(Kind::headers, name); }
const Component& archive(const char* name) { return component_named(Kind::static_library, name); }
const Component& bitcode(const char* name) { return component_named(Kind::bitcode_library, name); }
const Component& program(const char* name) { return component_named(Kind::program, name); }

// ---- rows

TEST(Catalogue, IsInTheOrderOfKindAndName) {
  std::vector<std::pair<Kind, std::string>> rows;
  for (const Component& component : all_components())
    rows.emplace_back(component.kind, lower(component.name));
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), rows.size()) << "a name is there twice";
}

TEST(Catalogue, HasTheComponentsOfAToolkit) {
  const std::map<Kind, std::vector<const char*>> names = {
      {Kind::dynamic_library,
       {"cudart", "nvrtc",    "nvJitLink", "nvvm", "cublas", "cublasLt", "cufft",
        "curand", "cusolver", "cusparse",  "nppc", "npps",   "nvjpeg",   "nvfatbin",
        "cupti",  "cufile",   "cuda",      "nvml", "nccl",   "cudnn"}},
      {Kind::headers, {"cudart", "nvrtc", "nvcc", "cublas", "cccl", "cupti", "nvtx", "nvml"}},
      {Kind::static_library, {"cudart_static", "cudadevrt", "nvrtc_static", "nvJitLink_static"}},
      {Kind::bitcode_library, {"libdevice"}},
      {Kind::program,
       {"nvcc", "ptxas", "cuobjdump", "nvdisasm", "nvlink", "nvprune", "fatbinary", "bin2c",
        "cudafe++", "cicc", "cu++filt", "compute-sanitizer", "nsys", "ncu"}}};
  for (const auto& [kind, wanted] : names) {
    for (const char* name : wanted) EXPECT_NE(find_component(kind, name), nullptr) << name;
  }
}

TEST(Catalogue, SonamesAreNewestFirst) {
  EXPECT_THAT(files_of(dynamic("cudart")),
              ElementsAre("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"));
  EXPECT_THAT(files_of(dynamic("cufft")),
              ElementsAre("libcufft.so.12", "libcufft.so.11", "libcufft.so.10"));
  EXPECT_THAT(files_of(dynamic("cuda")), ElementsAre("libcuda.so.1"));
}

TEST(Catalogue, DriverComponentsAreNotInWheelsOrToolkits) {
  std::vector<std::string_view> names;
  for (const Component& component : all_components()) {
    if (component.packaging != Packaging::driver) continue;
    names.push_back(component.name);
    EXPECT_EQ(component.wheel_folders.size() + component.root_folders.size() +
                  component.distributions.size(),
              0)
        << component.name;
  }
  EXPECT_THAT(names, ElementsAre("cuda", "nvcudla", "nvml"));
}

TEST(Catalogue, SeparatelyReleasedComponentsAreNotOfTheToolkit) {
  for (const char* name : {"nccl", "cudnn", "cusparseLt", "cutensor", "nvshmem_host"}) {
    EXPECT_EQ(dynamic(name).packaging, Packaging::other) << name;
    for (const std::string_view distribution : dynamic(name).distributions) {
      EXPECT_FALSE(version_is_toolkits(distribution)) << distribution;
    }
  }
  EXPECT_EQ(program("nsys").packaging, Packaging::other);
  EXPECT_EQ(program("ncu").packaging, Packaging::other);
}

TEST(Catalogue, AStaticLibraryIsNamedAsItsFile) {
  for (const Component& component : all_components()) {
    if (component.kind != Kind::static_library) continue;
    EXPECT_THAT(files_of(component), ElementsAre("lib" + std::string(component.name) + ".a"));
  }
}

// ---- names

TEST(CatalogueNames, AreComparedWithoutCase) {
  EXPECT_EQ(find_component(Kind::dynamic_library, "NVJITLINK"), &dynamic("nvJitLink"));
  EXPECT_EQ(find_component(Kind::program, "NVCC"), &program("nvcc"));
  EXPECT_EQ(dynamic("CUBLASLT").name, "cublasLt");
}

TEST(CatalogueNames, AreThoseOfOneKind) {
  EXPECT_EQ(find_component(Kind::static_library, "nvcc"), nullptr);
  EXPECT_NE(find_component(Kind::headers, "cudart"),
            find_component(Kind::dynamic_library, "cudart"));
  EXPECT_EQ(find_component(Kind::headers, ""), nullptr);
}

TEST(CatalogueNames, WithoutAKindAreOfTheFirstKindThatHasThem) {
  EXPECT_EQ(&component_named("cudart"), &dynamic("cudart"));
  EXPECT_EQ(&component_named("nvcc"), &program("nvcc"));
  EXPECT_EQ(&component_named("CUDART_static"), &archive("cudart_static"));
  EXPECT_EQ(&component_named("libdevice.10.bc"), &bitcode("libdevice"));
  EXPECT_EQ(&component_named("cccl"), &headers("cccl"));
}

TEST(CatalogueNames, WithoutAKindAreNearInAllKinds) {
  try {
    ADD_FAILURE() << component_named("cudarts").name;
  } catch (const UnknownNameError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("no component named 'cudarts'"),
                                    HasSubstr("did you mean cudart?")));  // a name of two kinds
  }
}

TEST(CatalogueNames, AnUnknownNameIsAnsweredWithThoseThatAreNear) {
  EXPECT_THAT(refusal(Kind::dynamic_library, "cudrat"),
              AllOf(HasSubstr("no dynamic library named 'cudrat'"), HasSubstr("mean cudart?")));
  EXPECT_THAT(refusal(Kind::dynamic_library, "NVJITLNK"), HasSubstr("mean nvJitLink"));
  EXPECT_THAT(refusal(Kind::dynamic_library, "cublass"), HasSubstr("mean cublas?"));
  EXPECT_THAT(refusal(Kind::dynamic_library, "nppi"),
              HasSubstr("mean nppc, nppif, nppig or nppim?"));
  EXPECT_THAT(refusal(Kind::program, "nvc"), HasSubstr("mean nvcc?"));
}

TEST(CatalogueNames, FileNameFindsItsComponent) {
  EXPECT_THAT(refusal(Kind::dynamic_library, "libcudart.so.12"), HasSubstr("mean cudart?"));
  EXPECT_THAT(refusal(Kind::static_library, "libcudart_static.a"), HasSubstr("cudart_static"));
}

TEST(CatalogueNames, NameOfAnotherKindIsReported) {
  EXPECT_THAT(refusal(Kind::program, "libdevice"),
              HasSubstr("(but a bitcode library of that name)"));
  EXPECT_THAT(refusal(Kind::dynamic_library, "ptxas"), HasSubstr("(but a program of that name)"));
}

TEST(CatalogueNames, NoSimilarName_AllAreListed) {
  EXPECT_THAT(refusal(Kind::bitcode_library, "zzzzzzzzzzzz"),
              HasSubstr("the valid names are libdevice, nccl_device, nvshmem_device"));
}

TEST(CatalogueNames, ALongTextIsCut) {
  const std::string what = refusal(Kind::program, std::string(1 << 20, 'x'));
  EXPECT_LT(what.size(), 1000);
  EXPECT_THAT(what, HasSubstr("xxx...'"));
}

TEST(CatalogueNames, ABitcodeLibraryIsFoundByItsFilesName) {
  EXPECT_EQ(&component_named(Kind::bitcode_library, "libdevice.10.bc"), &bitcode("libdevice"));
  EXPECT_EQ(find_component(Kind::bitcode_library, "libdevice.9.bc"), nullptr);
  EXPECT_EQ(find_component(Kind::program, "libdevice.10.bc"), nullptr);
  EXPECT_EQ(find_component(Kind::dynamic_library, "libcudart.so.13"), nullptr);
  for (const Component& component : all_components()) {
    if (component.kind != Kind::bitcode_library) continue;
    // So that the file's name says which file is wanted.
    EXPECT_EQ(component.files.size(), 1) << component.name;
  }
}

// ---- groups (spec: same component, declared companions)

TEST(CatalogueGroups, PartsOfOneComponentBelongTogether) {
  EXPECT_TRUE(same_group(dynamic("cublas"), dynamic("cusolver")));
  EXPECT_TRUE(same_group(dynamic("cublas"), dynamic("cublasLt")));
  EXPECT_TRUE(same_group(dynamic("nppc"), dynamic("nppif")));
  EXPECT_TRUE(same_group(dynamic("nvrtc"), dynamic("nvrtc-builtins")));
}

TEST(CatalogueGroups, LibraryHeadersStaticFormAndBitcodeAreOneGroup) {
  for (const char* name : {"cudart", "nvrtc", "nvJitLink", "cublas", "cufft", "curand", "cusparse",
                           "cusolver", "nvjpeg", "nvfatbin", "cupti"}) {
    EXPECT_TRUE(same_group(dynamic(name), headers(name))) << name;
    EXPECT_TRUE(same_group(dynamic(name), archive((std::string(name) + "_static").c_str())))
        << name;
  }
  EXPECT_TRUE(same_group(dynamic("nvvm"), bitcode("libdevice")));
}

TEST(CatalogueGroups, TheToolchainBelongsTogether) {
  const std::vector<const Component*> toolchain = {
      &program("nvcc"),    &headers("nvcc"),      &archive("cudadevrt"), &bitcode("libdevice"),
      &program("bin2c"),   &program("cuobjdump"), &program("fatbinary"), &program("nvdisasm"),
      &program("nvlink"),  &program("nvprune"),   &program("cicc"),      &program("cudafe++"),
      &headers("cudart"),  &headers("cccl"),      &headers("nvfatbin"),  &headers("nvvm"),
      &headers("cutlass"), &headers("cute")};
  for (const Component* one : toolchain) {
    for (const Component* other : toolchain) {
      EXPECT_TRUE(same_group(*one, *other)) << one->name << ", " << other->name;
    }
  }
}

TEST(CatalogueGroups, NvrtcBelongsToTheRuntimesHeadersThatItCompiles) {
  EXPECT_TRUE(same_group(dynamic("nvrtc"), headers("cudart")));
  EXPECT_TRUE(same_group(archive("nvrtc_static"), headers("cudart")));
  EXPECT_FALSE(same_group(dynamic("nvrtc"), program("nvcc"))) << "through the headers only";
  EXPECT_FALSE(same_group(dynamic("nvJitLink"), headers("cudart")));
}

TEST(CatalogueGroups, IndependentComponentsDoNotBelongTogether) {
  EXPECT_FALSE(same_group(dynamic("cudart"), dynamic("nvrtc")));
  EXPECT_FALSE(same_group(dynamic("nvrtc"), dynamic("nvJitLink")));
  EXPECT_FALSE(same_group(dynamic("cublas"), dynamic("cusparse")));
  EXPECT_FALSE(same_group(dynamic("cudart"), program("nvcc")));
  EXPECT_FALSE(same_group(dynamic("nvvm"), program("nvcc")));
  EXPECT_FALSE(same_group(program("ptxas"), program("nvcc")));
  EXPECT_FALSE(same_group(dynamic("cuda"), dynamic("nvml")));
  EXPECT_FALSE(same_group(program("nsys"), program("nsys"))) << "it has no companions";
}

// ---- distributions

TEST(CatalogueDistributions, OfTheToolkitsOwnVersion) {
  for (const char* name :
       {"nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime-cu11",
        "nvidia-cuda-nvrtc", "nvidia-nvjitlink-cu12", "nvidia-nvvm", "nvidia-cuda-nvcc-cu12",
        "nvidia-cuda-cccl-cu12", "cuda-toolkit"}) {
    EXPECT_TRUE(version_is_toolkits(name)) << name;
  }
}

TEST(CatalogueDistributions, SeparateVersions) {
  for (const char* name :
       {"nvidia-cublas", "nvidia-cublas-cu12", "nvidia-cublas-cu11", "nvidia-cufft-cu12",
        "nvidia-curand", "nvidia-cusolver", "nvidia-cusparse-cu12", "nvidia-npp-cu12",
        "nvidia-nvjpeg", "nvidia-cufile", "nvidia-cuda-cccl", "nvidia-nccl-cu12", "numpy", "",
        "nvidia-cuda-runtime-cu13", "nvidia-cuda"}) {
    EXPECT_FALSE(version_is_toolkits(name)) << name;
  }
}

TEST(CatalogueDistributions, AreComparedByPep503) {
  EXPECT_TRUE(version_is_toolkits("NVIDIA_CUDA.Runtime--cu12"));
  EXPECT_FALSE(version_is_toolkits("nvidia cuda runtime"));
}

}  // namespace
}  // namespace anycuda::compat
