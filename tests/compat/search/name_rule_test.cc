// SPDX-License-Identifier: Apache-2.0

// What the names of files and folders tell about a CUDA release.
#include "compat/search/version/name_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/unit/gathered.h"

namespace anycuda {
namespace {

std::string text_of(ReleaseRange range) {
  if (range.is_empty()) return "";
  std::string text = std::to_string(range.first);
  return range.is_exact() ? text : text + "-" + std::to_string(range.last);
}

// As cuSPARSE has its numbers, and as nvJPEG has some: those of two releases overlap.
constexpr NumberRow kNumbers[] = {
    {1105, {11, 7, 4}, {11, 7, 4}}, {1205, {12, 4, 1}, {12, 4, 1}}, {1206, {12, 5, 2}, {12, 5, 4}},
    {1208, {12, 5, 7}, {12, 6, 2}}, {1209, {12, 6, 1}, {12, 6, 3}},
};

std::string of_number(const std::string& name) {
  LibraryDescriptor library = kLibrary;
  library.numbers = kNumbers;
  library.number_count = 5;
  return text_of(releases_of_number(library, name));
}

TEST(NameRule, NumberInTheTable_IsItsRelease) {
  EXPECT_EQ(of_number("libtest.so.12.5.2.23"), "1206");
  EXPECT_EQ(of_number("libtest.so.12.5.4"), "1206");
  EXPECT_EQ(of_number("12.4.1.24"), "1205");
  EXPECT_EQ(of_number("libtest.so.12.5.10.1"), "1208") << "10 is more than 7";
}

TEST(NameRule, NumberOfTwoReleases_IsARange) {
  EXPECT_EQ(of_number("libtest.so.12.5.1.3"), "1205-1206") << "between two releases";
  EXPECT_EQ(of_number("libtest.so.12.6.1"), "1208-1209") << "in both";
  EXPECT_EQ(of_number("libtest.so.11.0.0"), "0-1105") << "before the first";
  EXPECT_EQ(of_number("libtest.so.12.7.0"), "1209-1299") << "behind the last";
}

TEST(NameRule, NumberOfASoname_TellsNothing) {
  for (const char* name : {"libtest.so", "libtest.so.12", "libtest.so.11.0", "libtest.so.12.x.1",
                           "libtest", "", "libtest.so.12.5.", "12-5-2"}) {
    EXPECT_EQ(of_number(name), "") << name;
  }
}

TEST(NameRule, WithoutATable_TheNumberIsCudas) {
  EXPECT_EQ(text_of(releases_of_number(kLibrary, "libtest.so.12.9.79")), "1209");
  EXPECT_EQ(text_of(releases_of_number(kLibrary, "libtest.so.13.10.1")), "1310");
  EXPECT_EQ(text_of(releases_of_number(kLibrary, "libtest.so.12.100.1")), "");
  LibraryDescriptor own = kLibrary;
  own.own_releases = true;  // as cuDNN: one number for all CUDAs
  EXPECT_EQ(text_of(releases_of_number(own, "libtest.so.9.12.0")), "");
}

TEST(NameRule, ToolkitsFolders) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/usr/local/cuda-12.8", "1208"},
      {"/apps/cuda/12.8", "1208"},
      {"/apps/cuda/12.8.1", "1208"},
      {"/sw/software/CUDA/12.8.1", "1208"},
      {"/sw/cuDNN/9.5.0.50-CUDA-12.6.0", "1206"},
      {"/sw/NCCL/2.22.3-GCCcore-13.3.0-CUDA-12.6.0", "1206"},
      {"/nix/store/abc-cuda12.8-libcurand-10.3.9.90", "1208"},
      {"/spack/linux/gcc-12.3.0/cuda-12.8.0-mfyvxyxq4d", "1208"},
      {"/opt/nvidia/hpc_sdk/Linux_x86_64/25.1/comm_libs/12.6", "1206"},
      {"/opt/nvidia/hpc_sdk/Linux_x86_64/25.1/comm_libs/12.6/nccl", "1206"},
      {"/opt/nvidia/hpc_sdk/Linux_x86_64/25.1/math_libs/12.6", "1206"},
      {"/opt/nvidia/hpc_sdk/Linux_x86_64/25.1/cuda/12.6", "1206"},
      {"/opt/other/12.6", ""},
      {"/usr/local/cuda", ""},
      {"/usr/local/cuda-12", ""},
      {"/usr/local/cuda-13", ""},
      {"/opt/cuda-dnn-9.1", ""},
      {"/opt/gcc-12.3.0", ""},
      {"/home/me/cuda-12.8beta", ""},
      {"/home/cuda-11.8/app", ""},
      {"/", ""},
      {"", ""},
  };
  for (const auto& [folder, releases] : rows) {
    EXPECT_EQ(text_of(releases_of_toolkit_name(folder)), releases) << folder;
  }
}

TEST(NameRule, LayoutsOfToolkits) {
  EXPECT_EQ(root_of_layout("/usr/local/cuda-12.8/lib64"), "/usr/local/cuda-12.8");
  EXPECT_EQ(root_of_layout("/opt/conda/lib"), "/opt/conda");
  EXPECT_EQ(root_of_layout("/usr/local/cuda/targets/x86_64-linux/lib"), "/usr/local/cuda");
  EXPECT_EQ(root_of_layout("/usr/lib/x86_64-linux-gnu"), "");
  EXPECT_EQ(root_of_layout("/opt/cuda-12.8"), "");
  EXPECT_EQ(root_of_layout(""), "");
}

TEST(NameRule, WheelFolders) {
  const WheelFolder own = wheel_folder_of(kLibrary, "/venv/site-packages/nvidia/test_runtime/lib");
  EXPECT_EQ(own.site, "/venv/site-packages");
  EXPECT_EQ(own.major, 0);
  const WheelFolder shared = wheel_folder_of(kLibrary, "/venv/site-packages/nvidia/cu13/lib");
  EXPECT_EQ(shared.site, "/venv/site-packages");
  EXPECT_EQ(shared.major, 13);
  for (const char* folder :
       {"/venv/nvidia/other/lib", "nvidia/cu13/lib", "/anvidia/cu13/lib64", ""}) {
    EXPECT_EQ(wheel_folder_of(kLibrary, folder).site, "") << folder;
  }
}

TEST(NameRule, MetadataFolders) {
  EXPECT_EQ(distribution_of(kLibrary).view(), "nvidia_test_runtime");
  const auto releases = [](const char* rest) {
    return text_of(releases_of_metadata(kLibrary, rest));
  };
  EXPECT_EQ(releases("_cu12-12.9.79.dist-info"), "1209");
  EXPECT_EQ(releases("-13.0.96.dist-info"), "1300");
  EXPECT_EQ(releases("_cu12-10.3.5.1.dist-info"), "1200-1299") << "the number is the library's own";
  EXPECT_EQ(releases("_cu12-12.9.79.data"), "");
  EXPECT_EQ(releases("_extra-12.9.79.dist-info"), "");
}

TEST(NameRule, CondasRecords) {
  EXPECT_EQ(text_of(releases_of_conda_record("cuda-version-12.8-h5d125a7_3.json")), "1208");
  EXPECT_EQ(text_of(releases_of_conda_record("cuda-version-12-0.json")), "");
  EXPECT_EQ(text_of(releases_of_conda_record("cuda-version-12.8-0.txt")), "");
  EXPECT_EQ(text_of(releases_of_conda_record("cuda-versions-12.8-0.json")), "");
}

}  // namespace
}  // namespace anycuda
